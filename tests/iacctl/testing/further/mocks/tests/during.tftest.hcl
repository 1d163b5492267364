# One mock of several is used by plans.
mock_provider "terraform" {
  mock_resource "terraform_data" {
    override_during = plan
    defaults        = { id = "known" }
  }
  mock_data "terraform_remote_state" {
    defaults = { outputs = {} }
  }
}

run "plan" {
  command = plan
  assert {
    condition     = output.id == "known"
    error_message = "Not known."
  }
}
