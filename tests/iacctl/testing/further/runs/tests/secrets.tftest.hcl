run "compares" {
  command = plan
  assert {
    condition     = output.secret == "hidden" && var.secret == "hidden"
    error_message = "Not the secret."
  }
}

run "fails" {
  command = plan
  assert {
    condition     = output.secret == "other"
    error_message = "It is not the other one."
  }
}
