run "values" {
  command = plan
  assert {
    condition     = var.from_tests == "default" && var.from_root == "root"
    error_message = "${var.from_tests} and ${var.from_root}"
  }
}
