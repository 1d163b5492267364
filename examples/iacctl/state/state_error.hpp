// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_STATE_ERROR_HPP
#define IACCTL_STATE_STATE_ERROR_HPP

#include "messages/report.hpp"
#include "messages/state.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace iacctl::state {

namespace infra = strider::infra;
using strider::infra::expected;

/// Kinds of errors of state: several messages of one kind, to which the program reacts in the same way.
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
    cannot_resolve,    ///< a decision about an operation that does not fit
};

/// The code of the kind's most usual message: `state_damaged`.
[[nodiscard]] auto code_of(state_error kind) noexcept -> std::string_view;

/// The kind that a code belongs to; none: it is not about state.
[[nodiscard]] auto kind_of(std::string_view code) noexcept -> state_error;
[[nodiscard]] inline auto kind_of(infra::diagnostic const& d) noexcept -> state_error
{
    return kind_of(d.code);
}
/// Of the first error of the failure that is about state.
[[nodiscard]] auto kind_of(infra::failure const& f) noexcept -> state_error;

/// `make_failure(messages::state_locked, {file, holder})`. \param address  the instance that it is about, if one
template <std::size_t N>
[[nodiscard]] auto make_failure(messages::message<N> const& of, messages::arguments<N> with, std::string address = {})
    -> infra::failure
{
    return infra::failure(messages::make_error(of, with, std::move(address)));
}
[[nodiscard]] inline auto make_failure(messages::message<0> const& of) -> infra::failure
{
    return infra::failure(messages::make_error(of));
}

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
