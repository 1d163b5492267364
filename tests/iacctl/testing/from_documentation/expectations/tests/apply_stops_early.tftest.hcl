# An expected failure that happens in the plan of a run that should apply is an error: there is nothing to apply.
run "odd" {
  command = apply
  variables {
    number = 3
  }
  expect_failures = [var.number]
}
