provider "terraform" {
}

provider "terraform" {
  alias = "other"
}

run "default" {
}

run "other" {
  providers = {
    terraform = terraform.other
  }
}
