override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

# With override_during = plan the values are there in a plan. (1.11 and later)
override_resource {
  target          = terraform_data.first
  override_during = plan
  values = {
    id = "soon"
  }
}

run "in_plan" {
  command = plan
  assert {
    condition     = output.first == "soon"
    error_message = "The id is not known."
  }
}
