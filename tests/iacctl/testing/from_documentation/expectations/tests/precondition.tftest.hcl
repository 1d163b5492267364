run "refused" {
  command = plan
  variables {
    mode = "early"
  }
  expect_failures = [terraform_data.guarded]
}
