# A check that fails is only a warning outside of tests, but fails a test that does not expect it.
run "sick" {
  variables {
    mode = "sick"
  }
}
