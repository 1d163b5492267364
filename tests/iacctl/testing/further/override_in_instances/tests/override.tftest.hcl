run "step_without_key" {
  override_module {
    target  = module.outer.module.inner
    outputs = { id = "overridden" }
  }
  assert {
    condition     = output.all == ["real", "real"]
    error_message = "The override applies to no instance."
  }
}
run "step_with_key" {
  override_module {
    target  = module.outer[0].module.inner
    outputs = { id = "overridden" }
  }
  assert {
    condition     = output.all[0] == "overridden" && output.all[1] == "real"
    error_message = "The override applies to one instance."
  }
}
