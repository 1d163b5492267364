# With override_during = plan the values are there in a plan. (1.11 and later)
mock_provider "terraform" {
  override_during = plan
  mock_resource "terraform_data" {
    defaults = {
      id = "early"
    }
  }
}

run "plan_knows" {
  command = plan
  assert {
    condition     = output.id == "early"
    error_message = "The id is not the mocked one."
  }
}

run "apply_keeps" {
  assert {
    condition     = output.id == "early" && output.ids == ["early", "early"]
    error_message = "The id is not the mocked one."
  }
}
