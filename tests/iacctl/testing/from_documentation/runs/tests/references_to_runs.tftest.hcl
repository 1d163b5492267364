# Outputs of earlier runs, in variables and in conditions.
run "first" {
  variables {
    bucket_prefix = "one"
  }
}

run "second" {
  variables {
    bucket_prefix = "${run.first.bucket_name}-two"
  }
  assert {
    condition     = output.bucket_name == "one-bucket-two-bucket"
    error_message = "The output of the first run is not used: ${output.bucket_name}"
  }
  assert {
    condition     = run.first.bucket_name != output.bucket_name
    error_message = "Both runs have the same name."
  }
}
