# Values for what is configured, and for what the type does not have, are not used.
mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = {
      input   = "mocked"
      no_such = true
      id      = "x"
    }
  }
}

run "configured" {
  assert {
    condition     = terraform_data.own.input == "own" && terraform_data.own.id == "x"
    error_message = "It has the value of the mock."
  }
}
