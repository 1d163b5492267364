run "refers" {
  command = plan
  variables {
    from_root = run.nobody.id
  }
}
