# A mock may override one object; the most specific value is used.
mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = {
      id = "general"
    }
  }
  override_resource {
    target = terraform_data.bucket
    values = {
      id = "special"
    }
  }
}

run "both" {
  assert {
    condition     = output.id == "special"
    error_message = "The id is ${output.id}."
  }
  assert {
    condition     = output.ids == ["general", "general"]
    error_message = "The others are general."
  }
}
