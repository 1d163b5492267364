# Without `command` a run applies: computed values are known.
run "applies" {
  assert {
    condition     = length(terraform_data.bucket.id) > 0
    error_message = "The bucket has no id."
  }
  assert {
    condition     = output.objects == ["test-bucket/0", "test-bucket/1"]
    error_message = "The objects are not in the bucket."
  }
}
