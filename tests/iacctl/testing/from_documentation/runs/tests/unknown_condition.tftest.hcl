# A condition about a value that a plan does not know is an error, and later runs are skipped.
run "asks_too_early" {
  command = plan
  assert {
    condition     = terraform_data.bucket.id == "x"
    error_message = "Not that id."
  }
}

run "skipped" {
  command = plan
}
