# Mocks from files *.tfmock.hcl of a directory.
mock_provider "terraform" {
  source = "./mocks/aws_like"
}

run "uses_file" {
  assert {
    condition     = output.id == "from-a-file"
    error_message = "The id is ${output.id}."
  }
}
