run "sick" {
  variables {
    mode = "sick"
  }
  expect_failures = [check.health]
}

run "well" {
  variables {
    mode = "good"
  }
  assert {
    condition     = output.mode == "good"
    error_message = "The mode is not good."
  }
}
