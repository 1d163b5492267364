override_data {
  target = module.single.data.terraform_remote_state.lookup
  values = { outputs = { base = 100 } }
}
override_data {
  target = module.part[0].data.terraform_remote_state.lookup
  values = { outputs = { base = 10 } }
}
override_data {
  target = module.part[1].data.terraform_remote_state.lookup[0]
  values = { outputs = { base = 20 } }
}

# The state keeps what an override has given, also when the override is gone.
run "with" {
  override_resource {
    target = terraform_data.each
    values = { id = "kept" }
  }
}

run "without" {
  assert {
    condition     = output.ids == { x = "kept", y = "kept" }
    error_message = "The ids changed."
  }
}
