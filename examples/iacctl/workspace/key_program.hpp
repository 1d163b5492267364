// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_KEY_PROGRAM_HPP
#define IACCTL_WORKSPACE_KEY_PROGRAM_HPP

#include "base/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <vector>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// Runs a program that provides keys, for a minute at most. \return its standard output, or the reason why there is none
[[nodiscard]] auto run_key_program(std::vector<std::string> const& words, std::string const& input)
    -> expected<std::string>;

/// The same for a program that encrypts documents: its output may be long.
[[nodiscard]] auto run_method_program(std::vector<std::string> const& words, std::string const& input)
    -> expected<std::string>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_KEY_PROGRAM_HPP
