variable "bucket_prefix" {
  type    = string
  default = "test"
}

variable "size" {
  type    = number
  default = 2
}

resource "terraform_data" "bucket" {
  input = "${var.bucket_prefix}-bucket"
}

resource "terraform_data" "objects" {
  count            = var.size
  input            = "${terraform_data.bucket.output}/${count.index}"
  triggers_replace = var.bucket_prefix
}

output "bucket_name" {
  value = "${var.bucket_prefix}-bucket"
}

output "bucket_id" {
  value = terraform_data.bucket.id
}

output "objects" {
  value = terraform_data.objects[*].output
}
