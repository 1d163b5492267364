run "create_site" {
  variables {
    name = "w"
  }
}

run "verify" {
  module {
    source = "./verification"
  }
  variables {
    expected = run.create_site.site
  }
  assert {
    condition     = output.seen == "w-site"
    error_message = "Not what was created."
  }
  assert {
    condition     = terraform_data.seen.output == run.create_site.site
    error_message = "The resource of the module is not seen."
  }
}
