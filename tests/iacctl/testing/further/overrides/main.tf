locals {
  names = toset(["x", "y"])
}

resource "terraform_data" "each" {
  for_each = local.names
  input    = each.key
}

module "part" {
  source = "./part"
  count  = 2
  number = count.index
}

module "single" {
  source = "./part"
  number = 9
}

output "ids" {
  value = { for k, r in terraform_data.each : k => r.id }
}

output "parts" {
  value = module.part[*].answer
}

output "secret" {
  value     = module.single.secret
  sensitive = true
}
