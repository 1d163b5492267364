override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# One instance only, and all instances of a module.
override_resource {
  target = terraform_data.many[1]
  values = {
    id = "middle"
  }
}

override_module {
  target = module.stores["b"]
  outputs = {
    place = "bee"
  }
}

run "instances" {
  assert {
    condition     = output.many[1] == "middle" && output.many[0] != "middle"
    error_message = "Not only the one in the middle."
  }
  assert {
    condition     = output.stores == { a = "a@7", b = "bee" }
    error_message = "Not only module b."
  }
}
