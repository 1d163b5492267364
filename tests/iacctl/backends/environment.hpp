// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_BACKENDS_ENVIRONMENT_HPP
#define IACCTL_TESTS_BACKENDS_ENVIRONMENT_HPP

#include <string>

#include <stdlib.h>

namespace iacctl::backends::test {

/// Sets an environment variable until the end of its scope.
class variable {
public:
    variable(char const* name, std::string const& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
    variable(variable const&) = delete;
    auto operator=(variable const&) -> variable& = delete;
    ~variable() { ::unsetenv(name_); }

private:
    char const* name_;
};

}  // namespace iacctl::backends::test

#endif  // IACCTL_TESTS_BACKENDS_ENVIRONMENT_HPP
