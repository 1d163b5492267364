run "filled" {
  variables {
    optional = { name = "m" }
  }
  assert {
    condition     = terraform_data.kept.output == 3
    error_message = "The default of the attribute is not used."
  }
}

run "wrong_type" {
  command = plan
  variables {
    optional = "text"
  }
}
