run "unknown" {
  command = plan
  variables {
    number = 5
  }
  expect_failures = [check.known_late]
}
