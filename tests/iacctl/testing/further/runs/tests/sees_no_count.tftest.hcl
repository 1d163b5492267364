run "bad_context" {
  command = plan
  assert {
    condition     = count.index == 0
    error_message = "There is no count."
  }
}
