run "setup_tests" {
  module {
    source = "./setup"
  }
}

run "create_site" {
  variables {
    name = "${run.setup_tests.bucket_prefix}-site"
  }
  assert {
    condition     = output.site == "aaa-site-site"
    error_message = "The prefix of the set-up is not used."
  }
}
