override_resource {
  target = terraform_data.each
  values = "no object"
}

run "no_object" {
}
