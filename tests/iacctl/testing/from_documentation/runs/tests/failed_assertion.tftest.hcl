# One assertion that fails fails the run; later runs are executed.
run "fails" {
  command = plan
  assert {
    condition     = output.bucket_name == "test-bucket"
    error_message = "This one holds."
  }
  assert {
    condition     = output.bucket_name == "other"
    error_message = "The name is ${output.bucket_name}."
  }
}

run "later" {
  command = plan
  assert {
    condition     = var.size == 2
    error_message = "The default is not 2."
  }
}
