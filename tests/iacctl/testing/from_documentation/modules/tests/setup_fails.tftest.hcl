# What depends on a run that fails with an error is skipped.
run "setup" {
  module {
    source = "./setup"
  }
  variables {
    length = "many"
  }
}

run "use" {
  variables {
    name = run.setup.bucket_prefix
  }
}
