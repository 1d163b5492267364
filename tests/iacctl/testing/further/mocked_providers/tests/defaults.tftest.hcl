mock_provider "random" {
  mock_resource "random_integer" {
    defaults = { result = 8080 }
  }
}
mock_provider "local" {
  mock_data "local_file" {
    defaults = { content = "mocked" }
  }
}

run "values" {
  assert {
    condition     = output.port == 8080 && local_file.config.content == "port=8080" && output.given == "mocked"
    error_message = "Not the values of the mocks."
  }
}
