override_module {
  target = module.part
}

run "still_reads" {
  override_data {
    target = module.single.data.terraform_remote_state.lookup
    values = { outputs = { base = 1 } }
  }
  assert {
    condition     = module.single.answer == 10
    error_message = "Not 10."
  }
}

run "reads_nothing" {
  command = plan
}
