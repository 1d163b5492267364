# Variables that the configuration does not have are seen by assertions.
variables {
  wanted = "root"
}

run "compares" {
  command = plan
  assert {
    condition     = var.from_root == var.wanted
    error_message = "It is not ${var.wanted}."
  }
}
