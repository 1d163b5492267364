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
