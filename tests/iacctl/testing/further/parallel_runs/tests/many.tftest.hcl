test {
  parallel = true
}
run "r1" {
  state_key = "k1"
  variables {
    name = "n1"
  }
  assert {
    condition     = output.name == "n1"
    error_message = output.name
  }
}
run "r2" {
  state_key = "k2"
  variables {
    name = "n2"
  }
  assert {
    condition     = output.name == "n2"
    error_message = output.name
  }
}
run "r3" {
  state_key = "k3"
  variables {
    name = "n3"
  }
  assert {
    condition     = output.name == "n3"
    error_message = output.name
  }
}
run "r4" {
  state_key = "k4"
  variables {
    name = "n4"
  }
  assert {
    condition     = output.name == "n4"
    error_message = output.name
  }
}
run "r5" {
  state_key = "k5"
  variables {
    name = "n5"
  }
  assert {
    condition     = output.name == "n5"
    error_message = output.name
  }
}
run "r6" {
  state_key = "k6"
  variables {
    name = "n6"
  }
  assert {
    condition     = output.name == "n6"
    error_message = output.name
  }
}
run "r7" {
  state_key = "k7"
  variables {
    name = "n7"
  }
  assert {
    condition     = output.name == "n7"
    error_message = output.name
  }
}
run "r8" {
  state_key = "k8"
  variables {
    name = "n8"
  }
  assert {
    condition     = output.name == "n8"
    error_message = output.name
  }
}
run "r9" {
  state_key = "k9"
  variables {
    name = "n9"
  }
  assert {
    condition     = output.name == "n9"
    error_message = output.name
  }
}
run "r10" {
  state_key = "k10"
  variables {
    name = "n10"
  }
  assert {
    condition     = output.name == "n10"
    error_message = output.name
  }
}
run "r11" {
  state_key = "k11"
  variables {
    name = "n11"
  }
  assert {
    condition     = output.name == "n11"
    error_message = output.name
  }
}
run "r12" {
  state_key = "k12"
  variables {
    name = "n12"
  }
  assert {
    condition     = output.name == "n12"
    error_message = output.name
  }
}
