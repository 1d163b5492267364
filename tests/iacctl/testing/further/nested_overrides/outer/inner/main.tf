resource "terraform_data" "a" {
  input = "real"
}

output "value" {
  value = terraform_data.a.output
}

output "made" {
  value = "made"
}
