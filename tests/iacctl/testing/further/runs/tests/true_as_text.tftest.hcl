run "text" {
  command = plan
  variables {
    from_root = "true"
  }
  assert {
    condition     = var.from_root
    error_message = "A text that is true."
  }
}
