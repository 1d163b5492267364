# Runs with the same key share a state whatever module they execute; others have their own. (1.9 and later)
variables {
  name = "k"
}

run "one" {
  state_key = "first"
}

run "two" {
  state_key = "second"
  assert {
    condition     = output.site_id != run.one.site_id
    error_message = "Both keys have one state."
  }
}

run "one_again" {
  state_key = "first"
  assert {
    condition     = output.site_id == run.one.site_id
    error_message = "The state of the key is not kept."
  }
}
