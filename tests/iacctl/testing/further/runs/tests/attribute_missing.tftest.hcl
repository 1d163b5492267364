run "no_attribute" {
  command = plan
  assert {
    condition     = terraform_data.kept.no_such == 1
    error_message = "No."
  }
}
