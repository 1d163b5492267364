# Modules have states of their own.
run "part" {
  parallel = true
  module {
    source = "./part"
  }
}

run "main" {
  parallel = true
}

run "barrier" {
  variables {
    name = run.part.text
  }
  assert {
    condition     = output.name == "part"
    error_message = "The name is ${output.name}."
  }
}
