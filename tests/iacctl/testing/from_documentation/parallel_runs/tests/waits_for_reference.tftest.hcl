# A run that refers to another waits for it.
test {
  parallel = true
}

run "producer" {
  state_key = "p"
  variables {
    name = "made"
  }
}

run "consumer" {
  state_key = "c"
  variables {
    name = "${run.producer.name}-used"
  }
  assert {
    condition     = output.name == "made-used"
    error_message = "The name is ${output.name}."
  }
}
