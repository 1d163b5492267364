mock_provider "terraform" {
  mock_resource "terraform_data" {
    defaults = { id = "everywhere" }
  }
}

run "inherited" {
  assert {
    condition     = output.id == "everywhere" && output.inner_id == "everywhere"
    error_message = "${output.id} and ${output.inner_id}"
  }
}
