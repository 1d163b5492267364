variables {
  name = "n"
}

run "main_first" {
}

run "setup_first" {
  module {
    source = "./setup"
  }
}

run "main_second" {
  assert {
    condition     = output.site_id == run.main_first.site_id
    error_message = "The state of the main configuration is not kept."
  }
}

run "setup_second" {
  module {
    source = "./setup"
  }
  assert {
    condition     = output.id == run.setup_first.id
    error_message = "The state of the module is not kept."
  }
}
