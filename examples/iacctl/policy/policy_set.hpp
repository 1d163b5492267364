// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_POLICY_POLICY_SET_HPP
#define IACCTL_POLICY_POLICY_SET_HPP

#include "hcl_policies.hpp"
#include "planned_change.hpp"
#include "rego.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <functional>
#include <string>
#include <vector>

namespace iacctl::policy {

/// The policies of directories, which check a plan.
class policy_set {
public:
    /// Reads the files *.policy.hcl and *.rego of the directories, but not of their subdirectories.
    /// \param problems  receives errors, after which a plan cannot be checked
    [[nodiscard]] static auto read(std::vector<std::string> const& directories, infra::diagnostics& problems)
        -> policy_set;

    /// Checks a plan. An error among the results refuses it.
    /// \param approved  addresses at which protected objects may be destroyed or replaced
    /// \param document  returns the output of `show -json` for the plan; called if there are Rego files
    /// \param hidden  values that messages of Rego must not show
    [[nodiscard]] auto check(planned_run const& run, std::vector<infra::address> const& approved,
        std::function<std::string()> const& document, secrets const& hidden) const -> infra::diagnostics;

    [[nodiscard]] auto empty() const noexcept -> bool { return own_.empty() && rego_.empty(); }

private:
    hcl_policies own_;
    std::vector<rego_policies> rego_;
};

}  // namespace iacctl::policy

#endif  // IACCTL_POLICY_POLICY_SET_HPP
