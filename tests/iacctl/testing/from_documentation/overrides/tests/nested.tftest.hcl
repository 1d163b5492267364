override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# Overrides name objects in modules, too.
override_resource {
  target = module.store.terraform_data.place
  values = {
    id = "inside"
  }
}

override_module {
  target = module.store.module.shelf
  outputs = {
    number = 99
  }
}

run "inside" {
  assert {
    condition     = module.store.id == "inside"
    error_message = "The id is ${module.store.id}."
  }
  assert {
    condition     = output.store == "main@99"
    error_message = "The place is ${output.store}."
  }
}
