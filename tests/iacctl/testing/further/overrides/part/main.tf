variable "number" {
  type = number
  validation {
    condition     = var.number >= 0
    error_message = "Negative."
  }
}

data "terraform_remote_state" "lookup" {
  count   = 1
  backend = "local"
  config  = { path = "${path.module}/none.tfstate" }
}

resource "terraform_data" "this" {
  input = data.terraform_remote_state.lookup[0].outputs.base + var.number
}

output "answer" {
  value = terraform_data.this.output
}

output "secret" {
  value     = "s${var.number}"
  sensitive = true
}
