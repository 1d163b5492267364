test {
  parallel = true
}

variables {
  name = run.first.text
}

run "first" {
  module {
    source = "./part"
  }
}

run "second" {
  assert {
    condition     = output.name == "part"
    error_message = output.name
  }
}
