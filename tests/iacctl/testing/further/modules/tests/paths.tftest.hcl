run "helper" {
  module {
    source = "./helper"
  }
  assert {
    condition     = output.where == "helper" && output.root == "helper"
    error_message = "${output.where} ${output.root}"
  }
}

run "main" {
  assert {
    condition     = output.here == "."
    error_message = output.here
  }
}
