variable "environment" {
  type        = string
  default     = "demo"
  description = "Part of every name"
}

variable "release" {
  type        = number
  default     = 2
  description = "Services are replaced when it changes"
}

variable "zones" {
  type    = number
  default = 4
}

variable "monitoring" {
  type    = bool
  default = false
}
