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

override_resource {
  target = terraform_data.each
  values = { id = "all" }
}
override_resource {
  target = terraform_data.each["y"]
  values = { id = "one" }
}

run "most_specific" {
  assert {
    condition     = output.ids == { x = "all", y = "one" }
    error_message = "Not the most specific one."
  }
}
