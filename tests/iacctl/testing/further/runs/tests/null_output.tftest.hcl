run "first" {
  assert {
    condition     = output.nothing == null
    error_message = "Something."
  }
}

run "second" {
  command = plan
  assert {
    condition     = run.first.nothing == null
    error_message = "Something."
  }
}
