run "plans" {
  command = plan
}

run "uses" {
  command = plan
  variables {
    from_root = run.plans.id
  }
}
