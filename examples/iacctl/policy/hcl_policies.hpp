// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_POLICY_HCL_POLICIES_HPP
#define IACCTL_POLICY_HCL_POLICIES_HPP

#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "planned_change.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::policy {

enum class severity : std::uint8_t { error, warning, info };

/// Selects changes. An empty list selects all changes; an empty list of actions selects all except "no-op".
struct change_filter {
    std::vector<std::string> types;  ///< patterns, in which * stands for any characters
    std::vector<std::string> actions;
    std::vector<std::string> addresses;
    std::vector<std::string> modules;

    [[nodiscard]] auto selects(planned_change const& change) const -> bool;
};

/// A condition that acceptable plans fulfil, or one that marks protected objects.
struct hcl_policy {
    std::string name;
    std::string description;
    bool protects = false;
    severity level = severity::error;
    severity undecided = severity::error;
    std::optional<change_filter> changes;  ///< nothing: the policy is evaluated once, for the whole plan
    language::expression condition;  ///< may be empty for protections
    language::expression message;  ///< may be empty
    language::source_range place;
};

/// The policies of files *.policy.hcl.
class hcl_policies {
public:
    /// Adds the policies of one file.
    void read(std::string const& shown_name, std::string text, infra::diagnostics& found);

    /// Reports violations of the policies, and protected objects that are destroyed or replaced without an approval.
    void check(planned_run const& run, std::vector<infra::address> const& approved, infra::diagnostics& found) const;

    [[nodiscard]] auto empty() const noexcept -> bool { return trees_.empty(); }

private:
    void add(language::block const& b, infra::diagnostics& found);

    std::vector<std::shared_ptr<language::syntax_tree>> trees_;
    std::vector<hcl_policy> all_;
};

}  // namespace iacctl::policy

#endif  // IACCTL_POLICY_HCL_POLICIES_HPP
