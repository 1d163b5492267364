test {
  parallel = true
}

run "bad" {
  state_key = "bad"
  variables {
    name = [1]
  }
}

run "independent" {
  state_key = "independent"
}

run "dependent" {
  state_key = "dependent"
  variables {
    name = run.bad.name
  }
}

run "barrier" {
  parallel = false
}
