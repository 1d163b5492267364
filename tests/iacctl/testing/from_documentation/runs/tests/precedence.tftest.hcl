# Variables of a run come before those of the file.
variables {
  bucket_prefix = "file"
}

run "of_the_file" {
  command = plan
  assert {
    condition     = var.bucket_prefix == "file"
    error_message = "The value of the file is not used."
  }
}

run "of_the_run" {
  command = plan
  variables {
    bucket_prefix = "run"
  }
  assert {
    condition     = terraform_data.bucket.input == "run-bucket"
    error_message = "The value of the run is not used."
  }
}

run "of_the_file_again" {
  command = plan
  assert {
    condition     = output.bucket_name == "file-bucket"
    error_message = "The value of the run is still used."
  }
}
