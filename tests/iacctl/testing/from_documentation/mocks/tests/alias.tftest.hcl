# A run that names its providers uses the mock under an alias only there.
mock_provider "terraform" {
  alias = "fake"
  mock_resource "terraform_data" {
    defaults = {
      id = "fake-id"
    }
  }
}

run "real" {
  command = plan
  providers = {
  }
  assert {
    condition     = output.name == "x"
    error_message = "The name is wrong."
  }
}

run "fake" {
  providers = {
    terraform = terraform.fake
  }
  assert {
    condition     = output.id == "fake-id"
    error_message = "The id is ${output.id}."
  }
}
