# Overrides of a run come before those of the file, and these before those of a mock.
mock_provider "terraform" {
  override_resource {
    target = terraform_data.own
    values = { id = "mock" }
  }
  override_data {
    target = data.terraform_remote_state.other
    values = { outputs = { level = "mock" } }
  }
}

override_data {
  target = data.terraform_remote_state.other
  values = { outputs = { level = "file" } }
}

run "file" {
  command = plan
  assert {
    condition     = output.other.level == "file"
    error_message = "Not that of the file."
  }
}

run "run" {
  override_data {
    target = data.terraform_remote_state.other
    values = { outputs = { level = "run" } }
  }
  override_resource {
    target = terraform_data.own
    values = { id = "run" }
  }
  assert {
    condition     = output.other.level == "run" && output.id == "run"
    error_message = "Not those of the run."
  }
}

run "mock" {
  plan_options {
    replace = [terraform_data.own]
  }
  assert {
    condition     = output.id == "mock"
    error_message = output.id
  }
}
