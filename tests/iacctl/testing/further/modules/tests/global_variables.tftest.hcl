# A variable of the file that the module has, too.
variables {
  length = 6
}

run "helper" {
  command = plan
  module {
    source = "./helper"
  }
  assert {
    condition     = module.deep.text == "012345"
    error_message = module.deep.text
  }
}

run "main_has_none" {
  command = plan
}
