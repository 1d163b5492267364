variable "name" {
  type = string
}

module "shelf" {
  source = "./shelf"
}

resource "terraform_data" "place" {
  input = var.name
}

output "place" {
  value = "${terraform_data.place.output}@${module.shelf.number}"
}

output "id" {
  value = terraform_data.place.id
}
