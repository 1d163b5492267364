variable "trigger" {
  type    = string
  default = "a"
}

resource "terraform_data" "own" {
  input            = "own"
  triggers_replace = var.trigger
}

module "inner" {
  source = "./inner"
}

data "terraform_remote_state" "other" {
  backend = "local"
  config = {
    path = "missing.tfstate"
  }
}

output "id" {
  value = terraform_data.own.id
}

output "inner_id" {
  value = module.inner.id
}

output "other" {
  value = data.terraform_remote_state.other.outputs
}
