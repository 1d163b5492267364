variable "environment" {
  type        = string
  default     = "demo"
  description = "Part of every name"
}

variable "release" {
  type        = number
  default     = 1
  description = "Services are replaced when it changes"
}

variable "zones" {
  type    = number
  default = 3
}

variable "monitoring" {
  type    = bool
  default = true
}
