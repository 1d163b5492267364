# A mocked provider never replaces an object by itself.
mock_provider "terraform" {}

run "create" {
}

run "change" {
  variables {
    trigger = "b"
  }
  assert {
    condition     = output.id == run.create.id && terraform_data.own.triggers_replace == "b"
    error_message = "It was replaced."
  }
}

run "force" {
  plan_options {
    replace = [terraform_data.own]
  }
  assert {
    condition     = output.id != run.create.id
    error_message = "It was not replaced."
  }
}
