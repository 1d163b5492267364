# A check about what a plan does not know fails a test that plans.
run "unknown" {
  command = plan
  variables {
    number = 5
  }
}
