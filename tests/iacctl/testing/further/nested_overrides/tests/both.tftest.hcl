override_module {
  target  = module.outer
  outputs = { value = "outer" }
}

override_resource {
  target = module.outer["a"].module.inner.terraform_data.a
}

run "both" {
  assert {
    condition     = output.values == { a = "outer", b = "outer" } && output.made == { a = null, b = null }
    error_message = "Not both."
  }
}
