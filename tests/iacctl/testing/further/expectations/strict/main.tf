variable "value" {
  type = number
  validation {
    condition     = var.value != 9
    error_message = "Nine is refused."
  }
}

check "inner" {
  assert {
    condition     = var.value != 8
    error_message = "Eight is odd."
  }
}

check "inner_data" {
  data "terraform_remote_state" "remote" {
    backend = "local"
    config = {
      path = var.value == 10 ? "missing.tfstate" : "${path.module}/../there.tfstate"
    }
  }
  assert {
    condition     = data.terraform_remote_state.remote.outputs != null
    error_message = "No outputs."
  }
}
