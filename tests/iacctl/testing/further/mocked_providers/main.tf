terraform {
  required_providers {
    random = {
      source = "hashicorp/random"
    }
    local = {
      source = "hashicorp/local"
    }
  }
}

resource "random_integer" "port" {
  min = 8000
  max = 9000
}

resource "random_pet" "name" {
  length = 3
}

resource "random_shuffle" "zones" {
  input = ["a", "b"]
}

resource "local_file" "config" {
  filename = "/nonexistent/directory/file"
  content  = "port=${random_integer.port.result}"
}

data "local_file" "given" {
  filename = "/nonexistent/given"
}

output "port" {
  value = random_integer.port.result
}

output "given" {
  value = data.local_file.given.content
}
