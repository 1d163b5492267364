run "both_fail" {
  command = plan
  variables {
    both = "no"
  }
  expect_failures = [var.both, check.known_late]
}
