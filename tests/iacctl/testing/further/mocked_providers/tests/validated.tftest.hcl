# The real schema judges the configuration: what it requires is there, and the values are of its types.
mock_provider "random" {
  mock_resource "random_integer" {
    defaults = { result = "many" }
  }
}
mock_provider "local" {}

run "not_a_number" {
}
