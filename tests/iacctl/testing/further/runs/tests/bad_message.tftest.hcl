run "message" {
  command = plan
  assert {
    condition     = var.from_root == "root"
    error_message = var.no_such
  }
}
