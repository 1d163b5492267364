mock_provider "local" {}

run "random_is_real" {
  assert {
    condition     = output.port >= 8000 && output.port <= 9000 && length(split("-", random_pet.name.id)) == 3
    error_message = "Not a real one."
  }
}
