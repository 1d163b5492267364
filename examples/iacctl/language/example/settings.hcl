# Read by the example beside this file.
name  = "web"
ports = [80, 443]
urls  = [for port in ports : "${port == 443 ? "https" : "http"}://${name}.example.org:${port}"]

server "eu" {
  count   = length(ports) * 2
  message = <<-EOT
    Hello from ${upper(name)},
    %{for url in urls~}
    ${url}
    %{endfor~}
  EOT
  checksum = substr(sha256(message), 0, 8)
}
