run "null" {
  command = plan
  assert {
    condition     = output.nothing
    error_message = "Null."
  }
}
