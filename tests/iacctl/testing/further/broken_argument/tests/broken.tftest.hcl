run "a" {
  comand = plan
}
