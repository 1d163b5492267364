# Several failures are expected at once.
run "sick_and_late" {
  variables {
    mode = "late"
  }
  expect_failures = [terraform_data.guarded, check.health]
}

run "after" {
  command = plan
  variables {
    number = 7
  }
  expect_failures = [var.number]
}
