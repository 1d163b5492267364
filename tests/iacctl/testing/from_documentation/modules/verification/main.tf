variable "expected" {
  type = string
}

data "terraform_remote_state" "none" {
  backend = "local"
  config  = { path = "${path.module}/missing.tfstate" }
  defaults = {
    answer = "from defaults"
  }
  count = 0
}

resource "terraform_data" "seen" {
  input = var.expected
}

output "seen" {
  value = terraform_data.seen.output
}
