# The block test sets it for all runs of the file.
test {
  parallel = true
}

run "a" {
  state_key = "a"
}

run "b" {
  state_key = "b"
}

run "c" {
  state_key = "c"
}
