// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_PLAN_POLICIES_HPP
#define IACCTL_CLI_COMMANDS_PLAN_POLICIES_HPP

#include "cli/arguments/option_list.hpp"
#include "policy/policy_set.hpp"
#include "session.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

struct policy_options {
    std::vector<std::string> policies;  ///< directories
    std::vector<std::string> approvals;  ///< addresses

    void declare(option_list& to);
};

/// The policies of -policies, and the approvals of -approve.
class plan_policies {
public:
    /// Reads the policies before anything is planned.
    [[nodiscard]] static auto read(session const& s, policy_options const& options) -> or_exit<plan_policies>;

    /// Checks a plan, and reports the results. \return 0, or the exit code if the plan is refused
    [[nodiscard]] auto check(session const& s, workspace::prepared_plan const& made) const -> int;

private:
    explicit plan_policies(policy::policy_set set) : all_(std::move(set)) {}

    policy::policy_set all_;
    std::vector<infra::address> approved_;
};

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_PLAN_POLICIES_HPP
