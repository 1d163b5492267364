override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# An override of a run comes before that of the file.
override_resource {
  target = terraform_data.first
  values = {
    id = "file"
  }
}

run "of_run" {
  override_resource {
    target = terraform_data.first
    values = {
      id = "run"
    }
  }
  assert {
    condition     = output.first == "run"
    error_message = "The id is ${output.first}."
  }
}
