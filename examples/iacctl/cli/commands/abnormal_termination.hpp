// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_ABNORMAL_TERMINATION_HPP
#define IACCTL_CLI_COMMANDS_ABNORMAL_TERMINATION_HPP

#include <array>
#include <exception>
#include <string_view>

namespace iacctl::commands {

/// The exit code of a program that cannot continue: that of unsaved state if there are `workspace::unsaved_changes`.
[[nodiscard]] auto abnormal_exit_code() noexcept -> int;

/// A diagnostic in parts, without an allocation.
using text_parts = std::array<std::string_view, 12>;

/// The text to print if the program cannot continue after an exception.
[[nodiscard]] auto termination_text(std::exception_ptr const& why) noexcept -> text_parts;

/// Reports that a part of the output could not be written. Allocates no memory.
void report_incomplete_output() noexcept;

/// Allocates no memory.
void print_to_standard_error(std::string_view text) noexcept;

/// Prints to standard error and ends the process without unwinding. Kills programs that providers run. The output names
/// the locks that remain on servers.
[[noreturn]] void exit_immediately(std::string_view message, int code) noexcept;

/// From now on, an uncaught exception on any thread results in a diagnostic and an exit code.
void install_terminate_handler() noexcept;

/// The same for a failed allocation, after which there may be no memory for the exception either.
void prepare_for_bad_alloc() noexcept;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_ABNORMAL_TERMINATION_HPP
