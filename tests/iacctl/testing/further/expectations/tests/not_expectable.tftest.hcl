run "module" {
  command         = plan
  expect_failures = [module.strict]
}
