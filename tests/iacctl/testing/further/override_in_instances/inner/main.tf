resource "terraform_data" "i" {
  input = "real"
}
output "id" {
  value = terraform_data.i.output
}
