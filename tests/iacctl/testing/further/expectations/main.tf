variable "number" {
  type    = number
  default = 2
}

variable "both" {
  type    = string
  default = "fine"
  validation {
    condition     = length(var.both) > 2
    error_message = "Too short."
  }
  validation {
    condition     = var.both != "no"
    error_message = "Not no."
  }
}

resource "terraform_data" "many" {
  count = 3
  input = count.index
  lifecycle {
    postcondition {
      condition     = self.input != var.number
      error_message = "Instance ${self.input} is refused."
    }
  }
}

module "strict" {
  source = "./strict"
  value  = var.number
}

resource "terraform_data" "slow" {
  input = var.number
}

check "known_late" {
  assert {
    condition     = terraform_data.slow.id != ""
    error_message = "No id."
  }
}

check "with_data" {
  data "terraform_remote_state" "remote" {
    backend = "local"
    config = {
      path = var.number == 7 ? "missing.tfstate" : "${path.module}/there.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.remote.outputs != null
    error_message = "No outputs."
  }
}

output "ids" {
  value = terraform_data.many[*].id
}
