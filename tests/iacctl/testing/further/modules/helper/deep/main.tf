variable "length" {
  type = number
}

output "text" {
  value = join("", [for i in range(var.length) : i])
}
