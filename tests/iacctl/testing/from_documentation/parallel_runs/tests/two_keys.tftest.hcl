run "left" {
  parallel  = true
  state_key = "left"
  variables {
    name = "l"
  }
  assert {
    condition     = output.name == "l"
    error_message = "Not l."
  }
}

run "right" {
  parallel  = true
  state_key = "right"
  variables {
    name = "r"
  }
  assert {
    condition     = output.name == "r"
    error_message = "Not r."
  }
}
