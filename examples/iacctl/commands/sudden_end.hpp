// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_SUDDEN_END_HPP
#define IACCTL_COMMANDS_SUDDEN_END_HPP

#include <array>
#include <exception>
#include <string_view>

namespace iacctl::commands {

/// The exit code of a program that cannot go on: that of state that could not be saved, if there are `app::unsaved_changes`.
[[nodiscard]] auto sudden_exit_code() noexcept -> int;

/// A diagnostic in parts, which take no memory.
using end_text = std::array<std::string_view, 10>;

/// The text to print where a program cannot continue after an exception.
[[nodiscard]] auto sudden_end_text(std::exception_ptr const& why) noexcept -> end_text;

/// Reports that a part of the output could not be written. Takes no memory.
void report_incomplete_output() noexcept;

/// Takes no memory.
void print_to_standard_error(std::string_view text) noexcept;

/// Prints to standard error and ends the process: nothing is unwound, programs that providers run are killed. Names the locks
/// that stay on servers.
[[noreturn]] void leave_now(std::string_view message, int code) noexcept;

/// From now on an exception that nobody catches, on any thread, gets a diagnostic and an exit code.
void prepare_for_sudden_end() noexcept;

/// The same, after an allocation that has failed: there may be no memory for the exception either.
void prepare_for_bad_alloc() noexcept;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_SUDDEN_END_HPP
