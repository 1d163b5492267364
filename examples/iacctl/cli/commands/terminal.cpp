// SPDX-License-Identifier: BSL-1.0
#include "terminal.hpp"

#include "base/environment.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace iacctl::commands {

auto size_of_terminal() -> views::terminal_size
{
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
    return {size.ws_col, size.ws_row};
}

auto text_options_of_terminal(bool colour) -> views::text_options
{
    views::text_options options;
    if (::isatty(STDOUT_FILENO) != 1) return options;
    auto const term = environment_variable("TERM");
    bool const dumb = term.empty() || term == "dumb";
    options.colour = colour && !dumb && std::getenv("NO_COLOR") == nullptr;
    options.live = !dumb && environment_variable("CI").empty() && environment_variable("TF_IN_AUTOMATION").empty();
    if (auto const size = size_of_terminal(); size.columns > 10) options.width = size.columns;
    return options;
}

}  // namespace iacctl::commands
