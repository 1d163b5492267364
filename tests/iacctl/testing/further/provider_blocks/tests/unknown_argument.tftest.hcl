provider "terraform" {
  no_such = 1
}

run "refused" {
}
