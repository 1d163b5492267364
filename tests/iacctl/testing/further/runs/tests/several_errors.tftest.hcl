run "fails_and_errs" {
  command = plan
  assert {
    condition     = var.from_root == "x"
    error_message = "fails"
  }
  assert {
    condition     = terraform_data.kept.id == "x"
    error_message = "errs"
  }
}

run "skipped" {
  command = plan
}
