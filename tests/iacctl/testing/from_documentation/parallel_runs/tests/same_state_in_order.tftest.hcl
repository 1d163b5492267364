# Runs with one state are executed in the order of the file.
test {
  parallel = true
}

run "first" {
  variables {
    name = "1"
  }
}

run "second" {
  variables {
    name = "2"
  }
  assert {
    condition     = output.id == run.first.id
    error_message = "The state was not there."
  }
}

run "third" {
  assert {
    condition     = terraform_data.one.id == run.second.id && output.name == "p"
    error_message = "The state was not there."
  }
}
