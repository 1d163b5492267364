# Computed values that no mock sets are generated: strings of eight letters and digits.
mock_provider "terraform" {}

run "generated" {
  assert {
    condition     = length(terraform_data.bucket.id) == 8 && can(regex("^[a-zA-Z0-9]{8}$", terraform_data.bucket.id))
    error_message = "The id is ${terraform_data.bucket.id}."
  }
  assert {
    condition     = terraform_data.bucket.input == "x"
    error_message = "What is configured is kept."
  }
}
