override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# An override of a run is for this run only.
run "with" {
  override_resource {
    target = terraform_data.first
    values = {
      id = "local-to-run"
    }
  }
  assert {
    condition     = output.first == "local-to-run"
    error_message = "The id is ${output.first}."
  }
}

run "without" {
  plan_options {
    replace = [terraform_data.first]
  }
  assert {
    condition     = output.first != "local-to-run"
    error_message = "The override is still there."
  }
}
