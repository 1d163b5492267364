run "names_none" {
  providers = {
    terraform = terraform.none
  }
}
