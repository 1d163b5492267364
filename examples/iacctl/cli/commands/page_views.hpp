// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_PAGE_VIEWS_HPP
#define IACCTL_CLI_COMMANDS_PAGE_VIEWS_HPP

#include "session.hpp"
#include "views/page.hpp"

#include <string>

namespace iacctl::commands {

/// The name of the directory of the configuration, for the title of a page.
[[nodiscard]] auto project_of(session const& s) -> std::string;

/// A plan for a page.
[[nodiscard]] auto page_of(session const& s, program::hcl_program const& desired, workspace::saved_plan const& saved)
    -> views::page_view;

/// Writes a page to the file of the option -html. Returns the exit code.
[[nodiscard]] auto write_page(session const& s, std::string const& file, views::page_view const& view) -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_PAGE_VIEWS_HPP
