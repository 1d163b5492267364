// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_STATE_ERROR_HPP
#define IACCTL_STATE_STATE_ERROR_HPP

#include "base/expected.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace iacctl::state {

namespace infra = strider::infra;

/// Kinds of errors of state. Several messages have one kind; the program handles them in the same way.
enum class state_error : std::uint8_t {
    none = 0,
    unreadable,        ///< no permission, an unreadable disk
    not_writable,      ///< nothing could be written, and no change had been made yet
    not_saved,         ///< a change was made, and could not be recorded
    damaged,           ///< the content differs from what was written
    foreign_database,  ///< it is not a database of this program
    newer_format,      ///< written by a later iacctl
    locked,            ///< another process is changing this state
    overtaken,         ///< another process has changed this state since it was read
    no_space,          ///< detected before any change
    foreign_state,     ///< there is a state file of Terraform, and no state of this program
    invalid_file,      ///< a text that is not a state file
    cannot_resolve,    ///< a decision that does not fit the operation
};

/// The code of the most frequent message of a kind: `state_damaged`.
[[nodiscard]] auto code_of(state_error kind) noexcept -> std::string_view;

/// The kind of a code; `none` if it is not about state.
[[nodiscard]] auto kind_of(std::string_view code) noexcept -> state_error;
[[nodiscard]] inline auto kind_of(infra::diagnostic const& d) noexcept -> state_error
{
    return kind_of(d.code);
}
/// The kind of the first error of the failure that is about state.
[[nodiscard]] auto kind_of(infra::failure const& f) noexcept -> state_error;

/// A state as messages name it.
struct state_site {
    std::string place;
    std::function<std::string()> advice;  ///< for damage
};

/// `make_failure(messages::state_locked, {file, holder})`. \param address  the instance concerned, if there is one
template <std::size_t N>
[[nodiscard]] auto make_failure(messages::message<N> const& m, messages::arguments<N> a, std::string address = {})
    -> infra::failure
{
    return infra::failure(messages::make_error(m, a, std::move(address)));
}
[[nodiscard]] inline auto make_failure(messages::message<0> const& m) -> infra::failure
{
    return infra::failure(messages::make_error(m));
}

[[nodiscard]] auto state_category() noexcept -> boost::system::error_category const&;

/// Required by `boost::system::error_code`.
[[nodiscard]] inline auto make_error_code(state_error kind) noexcept -> boost::system::error_code
{
    return {static_cast<int>(kind), state_category()};
}
/// The code of a result for the engine, which passes codes on instead of diagnostics.
[[nodiscard]] inline auto code_of(expected<void> const& result) noexcept -> boost::system::error_code
{
    return result ? boost::system::error_code() : make_error_code(kind_of(result.error()));
}

}  // namespace iacctl::state

namespace boost::system {

template <>
struct is_error_code_enum<iacctl::state::state_error> : std::true_type {};

}  // namespace boost::system

#endif  // IACCTL_STATE_STATE_ERROR_HPP
