// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_EARLY_SCOPE_HPP
#define IACCTL_WORKSPACE_EARLY_SCOPE_HPP

#include "language/configuration/static_scope.hpp"
#include "language/syntax/syntax_tree.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace iacctl::workspace {

class root_module;

/// The values that the blocks `backend` and `encryption` of a root module can refer to. The whole configuration is read only if
/// they refer to any. The module must outlive the scope.
class early_scope {
public:
    /// \param subject  what needs the values, for diagnostics
    early_scope(root_module const& root, std::span<language::body const* const> blocks, std::string_view subject);

    early_scope(early_scope const&) = delete;
    auto operator=(early_scope const&) -> early_scope& = delete;

    [[nodiscard]] auto values() const noexcept -> language::scope const& { return *scope_; }

private:
    std::optional<language::static_scope> scope_;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_EARLY_SCOPE_HPP
