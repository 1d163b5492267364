# The options of a plan: only one object.
run "only_bucket" {
  plan_options {
    target = [terraform_data.bucket]
  }
  assert {
    condition     = terraform_data.bucket.output == "test-bucket"
    error_message = "The bucket was not made."
  }
}

run "all" {
  assert {
    condition     = output.bucket_id == run.only_bucket.bucket_id && length(output.objects) == 2
    error_message = "The others were not made."
  }
}
