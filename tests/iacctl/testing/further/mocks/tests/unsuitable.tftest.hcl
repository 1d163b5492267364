mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = { id = ["not", "a", "string"] }
  }
}

run "unsuitable" {
}
