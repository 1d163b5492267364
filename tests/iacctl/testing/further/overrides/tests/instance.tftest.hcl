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
  target = terraform_data.each["x"]
  values = { id = "only x" }
}

run "one_instance" {
  assert {
    condition     = output.ids.x == "only x" && output.ids.y != "only x"
    error_message = "Not only x."
  }
}
