variable "number" {
  type    = number
  default = 2
  validation {
    condition     = var.number % 2 == 0
    error_message = "The number is odd."
  }
}

variable "mode" {
  type    = string
  default = "good"
}

resource "terraform_data" "guarded" {
  input = var.mode
  lifecycle {
    precondition {
      condition     = var.mode != "early"
      error_message = "The mode is refused before the change."
    }
    postcondition {
      condition     = self.output != "late"
      error_message = "The mode is refused after the change."
    }
  }
}

resource "terraform_data" "dependent" {
  input = terraform_data.guarded.id
}

check "health" {
  assert {
    condition     = var.mode != "sick"
    error_message = "The service is not healthy."
  }
}

output "mode" {
  value = var.mode
  precondition {
    condition     = var.mode != "secret"
    error_message = "The mode is not to be shown."
  }
}
