test {
  parallel = true
}

run "one" {
  state_key = "one"
}

run "two" {
  state_key = "two"
  assert {
    condition     = output.id != run.one.id
    error_message = "The same object."
  }
}
