mock_resource "terraform_data" {
  defaults = {
    id = "from-a-file"
  }
}
