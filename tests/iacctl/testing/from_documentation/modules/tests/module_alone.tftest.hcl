# A module of the configuration tested by itself.
run "unit" {
  module {
    source = "./naming"
  }
  variables {
    name   = "x"
    suffix = "y"
  }
  assert {
    condition     = terraform_data.entry.output == "x-y"
    error_message = "The parts are not joined."
  }
  assert {
    condition     = output.full_name == "x-y"
    error_message = "The output is wrong."
  }
}
