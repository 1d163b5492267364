override_module {
  target  = module.outer["a"].module.inner
  outputs = { value = "given" }
}

run "one" {
  assert {
    condition     = output.values == { a = "given", b = "real" }
    error_message = "Not only a."
  }
  assert {
    condition     = output.made.a == null && output.made.b == "made"
    error_message = "Outputs that are not given are null."
  }
}
