output "here" {
  value = path.module
}
