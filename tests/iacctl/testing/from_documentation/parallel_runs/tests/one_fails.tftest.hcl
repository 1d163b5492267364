test {
  parallel = true
}

run "bad" {
  state_key = "bad"
  assert {
    condition     = output.name == "q"
    error_message = "It is ${output.name}."
  }
}

run "good" {
  state_key = "good"
}
