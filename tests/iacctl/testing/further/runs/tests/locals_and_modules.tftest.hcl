run "planned" {
  command = plan
  assert {
    condition     = local.double == "rootroot"
    error_message = local.double
  }
  assert {
    condition     = module.keyed["b"].squared == 4 && sum([for m in module.keyed : m.squared]) == 5
    error_message = "Not the squares."
  }
}

run "applied" {
  assert {
    condition     = module.keyed["a"].object.output == 1 && length(module.keyed) == 2
    error_message = "Not the object of the module."
  }
  assert {
    condition     = terraform.workspace == "default" && path.module == "."
    error_message = "${terraform.workspace} in ${path.module}"
  }
}
