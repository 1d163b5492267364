run "setup_long" {
  module {
    source = "./setup"
  }
  variables {
    length = 5
  }
  assert {
    condition     = output.bucket_prefix == "aaaaa"
    error_message = "The variable of the module is not set."
  }
}

run "setup_again" {
  command = plan
  module {
    source = "./setup"
  }
  assert {
    condition     = var.length == 3
    error_message = "The default is not used."
  }
}
