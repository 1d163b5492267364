run "plans" {
  command = plan
}

run "uses" {
  command = plan
  variables {
    from_root = "n${run.plans.number}"
  }
  assert {
    condition     = var.from_root == "n3"
    error_message = var.from_root
  }
}
