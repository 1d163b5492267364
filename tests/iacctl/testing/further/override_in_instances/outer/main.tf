module "inner" {
  source   = "../inner"
  for_each = toset(["z"])
}
output "id" {
  value = module.inner["z"].id
}
