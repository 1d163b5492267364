run "missing" {
  variables {
    number = 7
  }
  expect_failures = [check.with_data]
}

run "there" {
  variables {
    number = 6
  }
}
