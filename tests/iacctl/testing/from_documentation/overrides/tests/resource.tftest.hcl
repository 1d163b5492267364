override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

override_resource {
  target = terraform_data.first
  values = {
    id = "the-first"
  }
}

run "resource" {
  assert {
    condition     = output.first == "the-first"
    error_message = "The id is ${output.first}."
  }
  assert {
    condition     = terraform_data.first.input == "main"
    error_message = "What is configured is lost."
  }
}
