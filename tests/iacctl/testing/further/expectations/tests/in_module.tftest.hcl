# Only failures of the root module can be expected.
run "inner_variable" {
  command = plan
  variables {
    number = 9
  }
  expect_failures = [var.number]
}
