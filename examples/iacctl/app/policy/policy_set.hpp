// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_POLICY_POLICY_SET_HPP
#define IACCTL_APP_POLICY_POLICY_SET_HPP

#include "own_policies.hpp"
#include "planned_change.hpp"
#include "rego.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <functional>
#include <string>
#include <vector>

namespace iacctl::app::policy {

/// The policies of directories, for the check of a plan.
class policy_set {
public:
    /// Reads the files *.policy.hcl and *.rego of the directories, but not those of directories below.
    /// \param problems  errors: a plan cannot be checked
    [[nodiscard]] static auto read(std::vector<std::string> const& directories, infra::diagnostics& problems)
        -> policy_set;

    /// Checks a plan. An error among the results refuses it.
    /// \param approved  addresses at which protected objects may be destroyed or replaced
    /// \param document  makes the text that `show -json` prints of the plan; called if there are Rego files
    /// \param hidden  values that messages of Rego must not show
    [[nodiscard]] auto check(planned_run const& of, std::vector<infra::address> const& approved,
        std::function<std::string()> const& document, secrets const& hidden) const -> infra::diagnostics;

    [[nodiscard]] auto empty() const noexcept -> bool { return own_.empty() && rego_.empty(); }

private:
    own_policies own_;
    std::vector<rego_policies> rego_;
};

}  // namespace iacctl::app::policy

#endif  // IACCTL_APP_POLICY_POLICY_SET_HPP
