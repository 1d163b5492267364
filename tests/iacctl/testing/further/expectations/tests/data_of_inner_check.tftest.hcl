run "missing" {
  variables {
    number = 10
  }
}
