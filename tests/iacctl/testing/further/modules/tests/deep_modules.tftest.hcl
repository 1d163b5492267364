run "helper" {
  module {
    source = "./helper"
  }
  variables {
    length = 4
  }
  assert {
    condition     = output.text == "0123" && module.deep.text == "0123"
    error_message = output.text
  }
}
