run "missing" {
  variables {
    number = 7
  }
}
