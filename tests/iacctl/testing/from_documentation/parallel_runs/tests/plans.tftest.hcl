test {
  parallel = true
}

run "plan_a" {
  command   = plan
  state_key = "a"
  assert {
    condition     = terraform_data.one.input == "p"
    error_message = "Not p."
  }
}

run "plan_b" {
  command   = plan
  state_key = "b"
  variables {
    name = "z"
  }
  assert {
    condition     = terraform_data.one.input == "z"
    error_message = "Not z."
  }
}
