run "text" {
  command = plan
  assert {
    condition     = var.from_root
    error_message = "Not a bool."
  }
}
