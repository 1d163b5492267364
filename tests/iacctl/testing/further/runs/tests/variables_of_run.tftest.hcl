# Variables of a run that only its assertions use.
variables {
  wanted = "of the file"
}

run "own" {
  command = plan
  variables {
    wanted = "root"
    list   = [1, 2]
  }
  assert {
    condition     = var.from_root == var.wanted && var.list[1] == 2
    error_message = "It is ${var.wanted}."
  }
}

run "file" {
  command = plan
  assert {
    condition     = var.wanted == "of the file"
    error_message = "It is ${var.wanted}."
  }
}
