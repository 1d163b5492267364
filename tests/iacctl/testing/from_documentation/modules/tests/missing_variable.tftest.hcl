# A variable without a default needs a value.
run "nameless" {
  command = plan
}
