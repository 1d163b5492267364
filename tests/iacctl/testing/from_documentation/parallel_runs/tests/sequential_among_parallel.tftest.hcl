# A run that is not parallel waits for those before it, and those after wait for it.
test {
  parallel = true
}

run "one" {
  state_key = "one"
}

run "middle" {
  state_key = "middle"
  parallel  = false
}

run "three" {
  state_key = "three"
  variables {
    name = run.one.name
  }
}
