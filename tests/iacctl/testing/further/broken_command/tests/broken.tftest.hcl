run "destroys" {
  command = destroy
}
