terraform {
  required_version = ">= 1.0"
}
variable "v" {
  type = object({ a = string, b = optional(list(number), [1]) })
  validation {
    condition     = length(var.v.a) > 0
    error_message = "empty"
  }
}
locals {
  a = <<-E
    x ${var.v.a} %{ if true ~} y %{ else } z %{ endif }
  E
}
resource "terraform_data" "a" {
  for_each = toset(["x"])
  input    = each.key
  lifecycle {
    ignore_changes = [input]
  }
  provisioner "local-exec" {
    when    = destroy
    command = "echo ${self.id}"
  }
}
module "m" {
  source = "./m"
}
moved {
  from = terraform_data.b
  to   = terraform_data.a
}
output "o" {
  value = [for k, v in local.a : k => v... if k != "x"]
}
