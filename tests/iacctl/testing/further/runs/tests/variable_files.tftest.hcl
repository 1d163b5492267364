# Files with variables in the directory of tests count for the tests in it.
run "values" {
  command = plan
  assert {
    condition     = var.from_tests == "tests" && var.from_root == "root"
    error_message = "${var.from_tests} and ${var.from_root}"
  }
}
