resource "terraform_data" "deep" {
  input = "deep"
}

output "id" {
  value = terraform_data.deep.id
}
