variable "text" {
  type    = string
  default = "part"
}

resource "terraform_data" "part" {
  input = var.text
}

output "text" {
  value = terraform_data.part.output
}
