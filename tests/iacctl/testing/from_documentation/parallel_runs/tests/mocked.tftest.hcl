test {
  parallel = true
}

mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = {
      id = "mocked"
    }
  }
}

run "x" {
  state_key = "x"
  assert {
    condition     = output.id == "mocked"
    error_message = "The id is ${output.id}."
  }
}

run "y" {
  state_key = "y"
  assert {
    condition     = output.id == "mocked"
    error_message = "The id is ${output.id}."
  }
}
