mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = {
      id = "one"
    }
  }
}

run "expects_another" {
  assert {
    condition     = output.id == "two"
    error_message = "The id is ${output.id}."
  }
}
