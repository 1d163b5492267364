# Runs of a file share one state; a run that plans changes nothing.
run "create" {
  variables {
    size = 1
  }
}

run "plan_more" {
  command = plan
  variables {
    size = 3
  }
  assert {
    condition     = length(terraform_data.objects) == 3
    error_message = "Three objects are planned."
  }
  assert {
    condition     = terraform_data.bucket.id == run.create.bucket_id
    error_message = "The bucket is not kept."
  }
}

run "still_one" {
  command = plan
  variables {
    size = 1
  }
  assert {
    condition     = length(terraform_data.objects) == 1 && terraform_data.objects[0].output == "test-bucket/0"
    error_message = "The object was changed by a plan."
  }
}

run "grow" {
  variables {
    size = 4
  }
  assert {
    condition     = length(output.objects) == 4
    error_message = "There are not four objects."
  }
  assert {
    condition     = output.bucket_id == run.create.bucket_id
    error_message = "The bucket was made again."
  }
}
