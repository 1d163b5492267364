# The options of a plan: a refresh only.
run "create" {
}

run "refresh" {
  plan_options {
    mode = refresh-only
  }
  variables {
    size = 5
  }
  assert {
    condition     = length(run.create.objects) == 2
    error_message = "Two objects were made."
  }
}

run "after" {
  command = plan
  assert {
    condition     = length(terraform_data.objects) == 2
    error_message = "The refresh made objects."
  }
}
