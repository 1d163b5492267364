mock_provider "random" {}
mock_provider "local" {}

run "shapes" {
  assert {
    condition     = random_integer.port.result == 0
    error_message = "A number is 0."
  }
  assert {
    condition     = can(regex("^[a-z0-9]{8}$", random_pet.name.id)) && length(random_shuffle.zones.result) == 0
    error_message = "A string has eight letters and digits, and a list is empty."
  }
  assert {
    condition     = can(regex("^[a-z0-9]{8}$", output.given)) && length(local_file.config.content_sha256) == 8
    error_message = "Data are generated, too."
  }
}
