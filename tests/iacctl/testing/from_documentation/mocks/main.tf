variable "name" {
  type    = string
  default = "x"
}

resource "terraform_data" "bucket" {
  input = var.name
}

resource "terraform_data" "counted" {
  count = 2
  input = "${terraform_data.bucket.id}-${count.index}"
}

output "id" {
  value = terraform_data.bucket.id
}

output "ids" {
  value = terraform_data.counted[*].id
}

output "name" {
  value = terraform_data.bucket.input
}
