# A data source of which the test says the values: nothing is read.
override_data {
  target = data.terraform_remote_state.network
  values = {
    outputs = {
      subnet = "10.0.0.0"
    }
  }
}

run "data" {
  assert {
    condition     = output.subnet == "10.0.0.0"
    error_message = "The data source was not overridden."
  }
}
