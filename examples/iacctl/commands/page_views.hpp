// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_PAGE_VIEWS_HPP
#define IACCTL_COMMANDS_PAGE_VIEWS_HPP

#include "session.hpp"
#include "ui/page.hpp"

namespace iacctl::commands {

/// A plan for a page.
[[nodiscard]] auto page_of(session const& s, program::hcl_program const& desired, app::saved_plan const& of)
    -> ui::page_view;

/// Writes a page to the file of the option -html. Returns the exit code.
[[nodiscard]] auto write_page(session const& s, std::string const& file, ui::page_view const& of) -> int;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_PAGE_VIEWS_HPP
