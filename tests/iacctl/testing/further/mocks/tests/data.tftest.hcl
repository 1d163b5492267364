mock_provider "terraform" {
  mock_data "terraform_remote_state" {
    defaults = {
      outputs = { answer = 42 }
    }
  }
}

run "planned" {
  command = plan
  assert {
    condition     = output.other.answer == 42
    error_message = "The data are not those of the mock."
  }
}

run "applied" {
  assert {
    condition     = data.terraform_remote_state.other.outputs.answer == 42
    error_message = "The data are not those of the mock."
  }
}
