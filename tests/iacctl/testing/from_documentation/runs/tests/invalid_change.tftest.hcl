# A configuration that cannot be planned is an error.
run "bad_size" {
  command = plan
  variables {
    size = -1
  }
}

run "never" {
}
