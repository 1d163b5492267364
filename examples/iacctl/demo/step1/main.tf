locals {
  services = {
    api    = { port = 8080, public = true }
    web    = { port = 8443, public = true }
    worker = { port = 9090, public = false }
  }
  public = { for name, service in local.services : name => service if service.public }
  prefix = "${var.environment}-platform"
}

resource "terraform_data" "network" {
  input = {
    name = "${local.prefix}-network"
    cidr = "10.0.0.0/16"
  }
}

resource "terraform_data" "subnet" {
  count = var.zones
  input = "${terraform_data.network.output.name}/zone-${count.index}"
}

resource "terraform_data" "database" {
  input = {
    name    = "${local.prefix}-db"
    subnets = terraform_data.subnet[*].output
  }

  provisioner "local-exec" {
    command = "echo \"schema loaded into $DATABASE\""
    environment = {
      DATABASE = self.output.name
    }
  }

  provisioner "local-exec" {
    when    = destroy
    command = "echo \"last backup of ${self.output.name} taken\""
  }
}

resource "terraform_data" "service" {
  for_each = local.services

  triggers_replace = [var.release]
  input = {
    name     = "${local.prefix}-${each.key}"
    port     = each.value.port
    database = terraform_data.database.output.name
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "local_file" "config" {
  for_each = terraform_data.service

  filename = "${path.module}/out/${each.key}.conf"
  content  = <<-EOT
    name     = ${each.value.output.name}
    port     = ${each.value.output.port}
    database = ${each.value.output.database}
    release  = ${var.release}
  EOT
}

resource "terraform_data" "load_balancer" {
  input = {
    name    = "${local.prefix}-lb"
    targets = [for name in toset(["api", "web"]) : terraform_data.service[name].output.port]
  }
}

resource "terraform_data" "dns" {
  for_each = local.public
  input    = "${each.key}.example.org -> ${terraform_data.load_balancer.output.name}"
}

resource "terraform_data" "monitor" {
  count = var.monitoring ? 1 : 0
  input = "watches ${length(terraform_data.service)} services"

  depends_on = [local_file.config]
}

resource "local_file" "inventory" {
  filename = "${path.module}/out/inventory.conf"
  content  = "zones: ${length(terraform_data.subnet)}, services: ${length(terraform_data.service)}\n"
}
