// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_STATE_ERROR_HPP
#define IACCTL_STATE_STATE_ERROR_HPP

#include <strider/infra/diagnostics.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace iacctl::state {

namespace infra = strider::infra;
using strider::infra::checked;

/// What went wrong with state. Each kind has one summary, by which a diagnostic is known again wherever it has been.
enum class state_error : std::uint8_t {
    none = 0,
    unreadable,        ///< no permission, an unreadable disk
    not_writable,      ///< nothing could be written, and nothing had been done yet
    not_saved,         ///< something was done, and could not be written down
    damaged,           ///< what is there is not what was written
    foreign_database,  ///< it was never ours
    newer_format,      ///< written by a later iacctl
    locked,            ///< another process changes this state now
    overtaken,         ///< another process has changed this state since it was read
    no_space,          ///< found before anything was done
    foreign_state,     ///< a state file of Terraform lies here, and no state of ours
    invalid_file,      ///< a text that is no state file
    needs_decision,    ///< operations of which nobody knows how they ended
    cannot_resolve,    ///< a decision about an operation that does not fit
};

[[nodiscard]] auto summary_of(state_error kind) noexcept -> std::string_view;
/// The code under which it is listed for programs: `state_damaged`.
[[nodiscard]] auto code_of(state_error kind) noexcept -> std::string_view;
/// The exit code of a command that fails for this reason.
[[nodiscard]] auto exit_code_of(state_error kind) noexcept -> int;

/// By its summary; none: it did not come from here.
[[nodiscard]] auto kind_of(infra::diagnostic const& d) noexcept -> state_error;
/// The first error of the failure that came from here.
[[nodiscard]] auto kind_of(infra::failure const& f) noexcept -> state_error;
/// 1 for a failure that did not come from here.
[[nodiscard]] auto exit_code_of(infra::failure const& f) noexcept -> int;

[[nodiscard]] auto make_diagnostic(state_error kind, std::string detail, std::string address = {}) -> infra::diagnostic;
[[nodiscard]] auto make_failure(state_error kind, std::string detail, std::string address = {}) -> infra::failure;

[[nodiscard]] auto state_category() noexcept -> boost::system::error_category const&;

/// Found by `boost::system::error_code`.
[[nodiscard]] inline auto make_error_code(state_error kind) noexcept -> boost::system::error_code
{
    return {static_cast<int>(kind), state_category()};
}

}  // namespace iacctl::state

namespace boost::system {

template <>
struct is_error_code_enum<iacctl::state::state_error> : std::true_type {};

}  // namespace boost::system

#endif  // IACCTL_STATE_STATE_ERROR_HPP
