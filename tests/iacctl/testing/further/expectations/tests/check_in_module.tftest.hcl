run "inner_check" {
  variables {
    number = 8
  }
}
