// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_PATH_TEXT_HPP
#define IACCTL_LANGUAGE_VALIDATION_PATH_TEXT_HPP

#include "schema.hpp"

#include <span>
#include <string>
#include <vector>

namespace iacctl::language {

/// The text of a path that starts with the name of an attribute or block: `rule[0]["name"]`; empty for other paths.
[[nodiscard]] auto path_text(std::span<path_step const> path) -> std::string;

/// The path of such a text, or of a reference such as `rule[0].name`; empty if the text is not a path.
[[nodiscard]] auto parse_path(std::string const& text) -> std::vector<path_step>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATION_PATH_TEXT_HPP
