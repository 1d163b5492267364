# Two keys for one module: two states.
run "one" {
  state_key = "one"
  module {
    source = "./helper"
  }
}

run "two" {
  state_key = "two"
  module {
    source = "./helper"
  }
  variables {
    length = 3
  }
}

run "one_again" {
  state_key = "one"
  command   = plan
  module {
    source = "./helper"
  }
  assert {
    condition     = terraform_data.id.id != null && terraform_data.id.output == "01"
    error_message = "The state of the key is not used."
  }
}
