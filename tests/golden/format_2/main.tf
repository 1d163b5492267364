resource "terraform_data" "base" {
  input = "floor"
}
resource "terraform_data" "each" {
  for_each = toset(["a", "b"])
  input    = terraform_data.base.id
}
output "ids" {
  value = [for one in terraform_data.each : one.id]
}
resource "terraform_data" "slow" {
  count = 1
  provisioner "local-exec" {
    command = "sleep 20"
  }
}
