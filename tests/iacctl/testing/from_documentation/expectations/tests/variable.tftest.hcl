variables {
  number = 0
}

run "even" {
  command = plan
}

run "odd" {
  command = plan
  variables {
    number = 1
  }
  expect_failures = [var.number]
}
