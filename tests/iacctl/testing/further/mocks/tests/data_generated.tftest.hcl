mock_provider "terraform" {}

run "no_defaults" {
  assert {
    condition     = data.terraform_remote_state.other.outputs == null
    error_message = "A value of any type is null."
  }
  assert {
    condition     = terraform_data.own.output == null
    error_message = "A value of any type is null."
  }
}
