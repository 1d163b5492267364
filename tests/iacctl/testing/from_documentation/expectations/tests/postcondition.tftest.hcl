# The condition fails only after the change, so that it stops the apply.
run "refused" {
  variables {
    mode = "late"
  }
  expect_failures = [terraform_data.guarded]
}
