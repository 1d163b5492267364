override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# Everything in the module is left alone: its outputs are given.
override_module {
  target = module.store
  outputs = {
    place = "nowhere"
  }
}

run "module" {
  assert {
    condition     = output.store == "nowhere"
    error_message = "The output is ${output.store}."
  }
  assert {
    condition     = output.stores == { a = "a@7", b = "b@7" }
    error_message = "The other modules are as they are."
  }
}
