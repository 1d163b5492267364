run "warns" {
  command = plan
  variables {
    no_such_variable = 1
  }
}
