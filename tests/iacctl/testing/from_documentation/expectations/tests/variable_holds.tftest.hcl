# A failure that is expected and does not happen fails the run.
run "not_odd" {
  command = plan
  variables {
    number = 4
  }
  expect_failures = [
    var.number,
  ]
}
