variable "from_tests" {
  type    = string
  default = "default"
}

variable "from_root" {
  type    = string
  default = "default"
}

variable "optional" {
  type = object({
    name  = string
    count = optional(number, 3)
  })
  default = { name = "n" }
}

variable "secret" {
  type      = string
  default   = "hidden"
  sensitive = true
}

locals {
  double = "${var.from_root}${var.from_root}"
}

resource "terraform_data" "kept" {
  input = var.optional.count
  lifecycle {
    create_before_destroy = true
  }
}

module "keyed" {
  source   = "./keyed"
  for_each = { a = 1, b = 2 }
  value    = each.value
}

output "nothing" {
  value = null
}

output "secret" {
  value     = var.secret
  sensitive = true
}

output "id" {
  value = terraform_data.kept.id
}

output "number" {
  value = var.optional.count
}
