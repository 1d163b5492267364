# Values that the mock sets for a type.
mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = {
      id = "data-0001"
    }
  }
}

run "uses_defaults" {
  assert {
    condition     = output.id == "data-0001"
    error_message = "The id is ${output.id}."
  }
  assert {
    condition     = output.ids == ["data-0001", "data-0001"]
    error_message = "Every object of the type has the value."
  }
}

run "configured_values_win" {
  variables {
    name = "y"
  }
  assert {
    condition     = output.name == "y"
    error_message = "The name is ${output.name}."
  }
}
