# A condition that refers to what is not there is an error.
run "no_such_resource" {
  command = plan
  assert {
    condition     = terraform_data.missing.output == "x"
    error_message = "There is none."
  }
}
