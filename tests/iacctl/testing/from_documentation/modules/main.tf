variable "name" {
  type = string
}

module "named" {
  source = "./naming"
  name   = var.name
}

resource "terraform_data" "site" {
  input = module.named.full_name
}

output "site" {
  value = terraform_data.site.output
}

output "site_id" {
  value = terraform_data.site.id
}
