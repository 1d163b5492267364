module "inner" {
  source = "./inner"
}

output "value" {
  value = module.inner.value
}

output "made" {
  value = module.inner.made
}
