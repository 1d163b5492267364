run "another" {
  variables {
    number = 1
  }
  expect_failures = [terraform_data.many[0]]
}
