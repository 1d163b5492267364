variable "length" {
  type    = number
  default = 2
}

module "deep" {
  source = "./deep"
  length = var.length
}

resource "terraform_data" "id" {
  input = module.deep.text
  lifecycle {
    prevent_destroy = false
  }
}

output "text" {
  value = terraform_data.id.output
}

output "where" {
  value = path.module
}

output "root" {
  value = path.root
}
