run "a" {
  module {
    source = "./missing"
  }
}
