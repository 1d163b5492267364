# A file without runs passes.
variables {
  bucket_prefix = "unused"
}
