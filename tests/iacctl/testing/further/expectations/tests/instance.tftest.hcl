run "one" {
  command = plan
  variables {
    number = 1
  }
  expect_failures = [terraform_data.many[1]]
}
