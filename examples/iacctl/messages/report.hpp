// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_REPORT_HPP
#define IACCTL_MESSAGES_REPORT_HPP

#include "message.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::messages {

/// A message of the catalogue as a diagnostic of the engine.
[[nodiscard]] auto report(strider::infra::severity level, message_text const& text,
    std::span<std::string_view const> arguments, std::string address) -> strider::infra::diagnostic;

/// `make_error(messages::state_locked, {holder})`. \param address  the instance concerned, if there is one
template <std::size_t N>
[[nodiscard]] auto make_error(message<N> const& m, arguments<N> a, std::string address = {})
    -> strider::infra::diagnostic
{
    return report(strider::infra::severity::error, m, a, std::move(address));
}
[[nodiscard]] inline auto make_error(message<0> const& m, std::string address = {}) -> strider::infra::diagnostic
{
    return report(strider::infra::severity::error, m, {}, std::move(address));
}
template <std::size_t N>
[[nodiscard]] auto make_warning(message<N> const& m, arguments<N> a, std::string address = {})
    -> strider::infra::diagnostic
{
    return report(strider::infra::severity::warning, m, a, std::move(address));
}
[[nodiscard]] inline auto make_warning(message<0> const& m, std::string address = {}) -> strider::infra::diagnostic
{
    return report(strider::infra::severity::warning, m, {}, std::move(address));
}

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_REPORT_HPP
