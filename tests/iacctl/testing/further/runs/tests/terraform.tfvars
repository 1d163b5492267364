from_tests = "tests"
