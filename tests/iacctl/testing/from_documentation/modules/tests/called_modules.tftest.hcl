# Conditions see the outputs of modules that the configuration calls.
run "calls" {
  command = plan
  variables {
    name = "inner"
  }
  assert {
    condition     = module.named.full_name == "inner-site"
    error_message = "The output of the module is not seen."
  }
}
