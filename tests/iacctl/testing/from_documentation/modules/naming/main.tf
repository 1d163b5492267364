variable "name" {
  type = string
}

variable "suffix" {
  type    = string
  default = "site"
}

resource "terraform_data" "entry" {
  input = "${var.name}-${var.suffix}"
}

output "full_name" {
  value = terraform_data.entry.input
}
