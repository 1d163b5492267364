# Functions and references to a variable of the file in variables of a run.
variables {
  bucket_prefix = "base"
}

run "computed" {
  variables {
    bucket_prefix = join("-", ["x", lower("Y")])
    size          = length("abc")
  }
  assert {
    condition     = output.bucket_name == "x-y-bucket" && length(output.objects) == 3
    error_message = "The values are not computed."
  }
}

run "from_file" {
  command = plan
  variables {
    bucket_prefix = "${var.bucket_prefix}-${upper("a")}"
  }
  assert {
    condition     = output.bucket_name == "base-A-bucket"
    error_message = "The variable of the file is not seen: ${output.bucket_name}"
  }
}
