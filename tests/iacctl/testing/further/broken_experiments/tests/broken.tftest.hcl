run "a" {
  skip_cleanup = true
}
