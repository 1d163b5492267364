mock_resource "terraform_data" {
  defaults = {
    id = "from the file"
  }
}

mock_data "terraform_remote_state" {
  defaults = {
    outputs = { origin = "file" }
  }
}
