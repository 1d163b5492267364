# A failure that is not the expected one is an error.
run "other_failure" {
  command = plan
  variables {
    mode = "early"
  }
  expect_failures = [var.number]
}
