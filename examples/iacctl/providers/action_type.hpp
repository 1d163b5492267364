// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_ACTION_TYPE_HPP
#define IACCTL_PROVIDERS_ACTION_TYPE_HPP

#include "provider.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// A type of actions of a built-in provider.
class action_type {
public:
    virtual ~action_type() = default;

    [[nodiscard]] virtual auto name() const noexcept -> std::string_view = 0;
    /// In the format of state files: `provider["…"]`.
    [[nodiscard]] virtual auto provider() const noexcept -> std::string_view = 0;
    [[nodiscard]] virtual auto schema() const noexcept -> language::schema const& = 0;
    /// Performs an action. \param withheld  environment variables that programs do not inherit
    [[nodiscard]] virtual auto invoke(invoke_request request, std::set<std::string> withheld) const
        -> task<strider::infra::diagnostics> = 0;

protected:
    action_type() = default;
    action_type(action_type const&) = default;
    auto operator=(action_type const&) -> action_type& = default;
};

/// The action that runs a program.
[[nodiscard]] auto local_command() -> action_type const&;

/// All action types, sorted by name.
[[nodiscard]] auto action_types() -> std::span<action_type const* const>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_ACTION_TYPE_HPP
