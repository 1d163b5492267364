# An override of a module inside a module that has instances: a step without a key is a single instance.
module "outer" {
  source = "./outer"
  count  = 2
}
output "all" {
  value = module.outer[*].id
}
