# In a plan, generated values are unknown.
mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = {
      id = "late"
    }
  }
}

run "plan_knows_nothing" {
  command = plan
  assert {
    condition     = output.id == "late"
    error_message = "Not this id."
  }
}
