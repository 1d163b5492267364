# Nothing in these modules is evaluated.
override_module {
  target  = module.part
  outputs = { answer = "a" }
}
override_module {
  target  = module.single
  outputs = { answer = null, secret = "mine", extra = 1 }
}

run "whole" {
  assert {
    condition     = output.parts == ["a", "a"] && module.part[1].secret == null
    error_message = "Not the outputs of the override."
  }
  assert {
    condition     = output.secret == "mine"
    error_message = "Not the secret of the override."
  }
}
