# What the block itself has comes before what the files have.
mock_provider "terraform" {
  source = "./mocks"
  mock_resource "terraform_data" {
    defaults = { id = "from the block" }
  }
}

run "both" {
  assert {
    condition     = output.inner_id == "from the block"
    error_message = output.inner_id
  }
  assert {
    condition     = output.id == "json override"
    error_message = output.id
  }
  assert {
    condition     = output.other.origin == "file"
    error_message = "The data of the file are not used."
  }
}
