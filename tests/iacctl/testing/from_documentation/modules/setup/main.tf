variable "length" {
  type    = number
  default = 3
}

resource "terraform_data" "prefix" {
  input = join("", [for i in range(var.length) : "a"])
}

output "bucket_prefix" {
  value = terraform_data.prefix.output
}

output "id" {
  value = terraform_data.prefix.id
}
