override_resource {
  target = module.a
}
run "a" {
}
