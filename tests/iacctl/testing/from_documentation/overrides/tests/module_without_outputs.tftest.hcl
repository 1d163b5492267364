override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# Outputs that an override does not mention are null.
override_module {
  target = module.store
}

run "module" {
  assert {
    condition     = module.store.place == null && module.store.id == null
    error_message = "There are values."
  }
}
