variable "value" {
  type = number
}

locals {
  squared = var.value * var.value
}

resource "terraform_data" "squared" {
  input = local.squared
}

output "squared" {
  value = local.squared
}

output "object" {
  value = terraform_data.squared
}
