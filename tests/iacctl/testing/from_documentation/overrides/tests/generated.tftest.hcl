override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# Values that an override does not mention are generated.
override_resource {
  target = terraform_data.first
}

run "generated" {
  assert {
    condition     = length(output.first) == 8
    error_message = "The id is ${output.first}."
  }
}
