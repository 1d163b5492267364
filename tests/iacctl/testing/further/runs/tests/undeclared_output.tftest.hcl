run "output" {
  command = plan
  assert {
    condition     = output.no_such == 1
    error_message = "No."
  }
}
