run "only_module" {
  command = plan
  plan_options {
    target = [module.keyed["a"]]
  }
  assert {
    condition     = module.keyed["a"].squared == 1
    error_message = "Not planned."
  }
}
