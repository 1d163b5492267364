// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_CONFIGURATION_STATIC_SCOPE_HPP
#define IACCTL_LANGUAGE_CONFIGURATION_STATIC_SCOPE_HPP

#include "configuration.hpp"
#include "language/evaluation/evaluate.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::language {

/// The values of a module that are known before its modules are installed and before planning: variables, local values
/// that depend on nothing else, `path` and `terraform.workspace`. Other references are errors.
///
/// Not to be shared between threads.
class static_scope final : public scope {
public:
    using variable_map = std::map<std::string, value, std::less<>>;

    /// The scope of a root module.
    /// \param variables  the values of its variables; called when one is needed
    /// \param subject  the feature that needs the values, for diagnostics: `modules`, `encryption`
    static_scope(configuration const& root, std::function<variable_map const&()> variables, std::string workspace,
        std::string_view subject)
        : of_(root),
          variables_(std::move(variables)),
          workspace_(std::move(workspace)),
          subject_(subject)
    {}
    /// The scope of a called module, whose variables are set by the call.
    static_scope(configuration const& child, module_call const& call, static_scope const& caller)
        : of_(child),
          call_(&call),
          caller_(&caller),
          workspace_(caller.workspace_),
          subject_(caller.subject_)
    {}

    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override;

private:
    [[nodiscard]] auto variable_value(reference const& r, diagnostics& found) const -> value;
    [[nodiscard]] auto local(reference const& r, diagnostics& found) const -> value;

    configuration const& of_;
    std::function<variable_map const&()> variables_;
    module_call const* call_ = nullptr;
    static_scope const* caller_ = nullptr;
    std::string workspace_;
    std::string subject_;
    mutable std::set<std::string, std::less<>> under_way_;
};

/// Evaluates a string that must be known before planning. \return nothing after a diagnostic, and for null
[[nodiscard]] auto static_string(expression const& e, std::string_view argument, static_scope const& in,
    diagnostics& found) -> std::optional<std::string>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_CONFIGURATION_STATIC_SCOPE_HPP
