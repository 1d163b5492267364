# A file beside the configuration; the run plans.
variables {
  bucket_prefix = "test"
}

run "valid_string_concat" {
  command = plan

  assert {
    condition     = terraform_data.bucket.input == "test-bucket"
    error_message = "The name of the bucket is not the expected one."
  }
}
