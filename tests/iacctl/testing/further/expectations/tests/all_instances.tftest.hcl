run "any" {
  variables {
    number = 2
  }
  expect_failures = [terraform_data.many, check.known_late]
}
