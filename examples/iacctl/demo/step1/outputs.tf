output "ports" {
  value = { for name, service in terraform_data.service : name => service.output.port }
}

output "names" {
  value = [for record in values(terraform_data.dns) : record.output]
}

output "release" {
  description = "What runs now"
  value       = var.release
}
