module "outer" {
  source   = "./outer"
  for_each = toset(["a", "b"])
}

output "values" {
  value = { for k, m in module.outer : k => m.value }
}

output "made" {
  value = { for k, m in module.outer : k => m.made }
}
