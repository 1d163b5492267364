resource "terraform_data" "number" {
  input = 7
}

output "number" {
  value = terraform_data.number.output
}
