# A generated value is made when the object is created, and kept.
mock_provider "terraform" {}

run "first" {
}

run "second" {
  variables {
    name = "other"
  }
  assert {
    condition     = output.id == run.first.id
    error_message = "The id was generated again."
  }
}
