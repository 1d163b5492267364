mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = { id = 12 }
  }
}

run "number_becomes_text" {
  assert {
    condition     = output.id == "12"
    error_message = output.id
  }
}
