variable "name" {
  type    = string
  default = "main"
}

module "store" {
  source = "./store"
  name   = var.name
}

module "stores" {
  source   = "./store"
  for_each = toset(["a", "b"])
  name     = each.key
}

resource "terraform_data" "first" {
  input = var.name
}

resource "terraform_data" "many" {
  count = 3
  input = count.index
}

data "terraform_remote_state" "network" {
  backend = "local"
  config = {
    path = "${path.module}/missing.tfstate"
  }
}

output "first" {
  value = terraform_data.first.id
}

output "many" {
  value = terraform_data.many[*].id
}

output "store" {
  value = module.store.place
}

output "stores" {
  value = { for k, s in module.stores : k => s.place }
}

output "subnet" {
  value = data.terraform_remote_state.network.outputs.subnet
}
