# The options of a plan: an object to be replaced.
run "create" {
}

run "replaced" {
  plan_options {
    replace = [terraform_data.bucket]
  }
  assert {
    condition     = output.bucket_id != run.create.bucket_id
    error_message = "The bucket was not replaced."
  }
}

run "kept" {
  plan_options {
    refresh = false
  }
  assert {
    condition     = output.bucket_id == run.replaced.bucket_id
    error_message = "The bucket was replaced again."
  }
}
