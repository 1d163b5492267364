variable "name" {
  type    = string
  default = "p"
}

resource "terraform_data" "one" {
  input = var.name
}

output "name" {
  value = terraform_data.one.output
}

output "id" {
  value = terraform_data.one.id
}
