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

run "data_in_modules" {
  assert {
    condition     = module.single.answer == 109 && output.parts == [10, 21]
    error_message = "The data are not those of the overrides."
  }
}
