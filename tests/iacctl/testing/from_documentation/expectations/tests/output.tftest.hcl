run "secret" {
  command = plan
  variables {
    mode = "secret"
  }
  expect_failures = [output.mode]
}
