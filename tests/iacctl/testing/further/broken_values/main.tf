resource "terraform_data" "each" {}
