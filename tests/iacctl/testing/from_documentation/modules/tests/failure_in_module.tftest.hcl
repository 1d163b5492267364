run "setup" {
  module {
    source = "./setup"
  }
  assert {
    condition     = output.bucket_prefix == "bbb"
    error_message = "The prefix is ${output.bucket_prefix}."
  }
}

run "use" {
  variables {
    name = run.setup.bucket_prefix
  }
  assert {
    condition     = output.site == "aaa-site"
    error_message = "The site has another name."
  }
}
