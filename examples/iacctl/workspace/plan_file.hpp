// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PLAN_FILE_HPP
#define IACCTL_WORKSPACE_PLAN_FILE_HPP

#include "base/expected.hpp"
#include "language/values/value.hpp"
#include "state/encryption/target.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/basic_plan.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace iacctl::workspace {

namespace infra = strider::infra;
using plan = infra::basic_plan<language::value>;

/// The parts of state on which a plan depends, with the versions from which it was made; 0: the part did not exist.
struct plan_parts {
    std::map<std::string, std::int64_t> written;  ///< the parts that the plan changes
    std::map<std::string, std::int64_t> read;     ///< the parts from which the changes are computed
};

/// A plan with all data for an apply on another machine or at a later time: the configuration and the variables from
/// which it was made.
struct saved_plan {
    std::map<std::string, std::string> files;  ///< configuration, by name; none if the plan is only shown
    std::map<std::string, language::value> variables;    ///< ephemeral ones are not written
    /// Ephemeral variables that were set for the plan. Nothing if the file is of an earlier version.
    std::optional<std::set<std::string, std::less<>>> ephemeral;
    std::string workspace;
    std::string created;  ///< RFC 3339
    infra::snapshot prior;  ///< state before the plan
    infra::document checks;  ///< the results of the rules that could be evaluated
    bool errored = false;  ///< an error stopped the planning, so the plan is incomplete and cannot be applied
    plan what;
    /// The blocks that the plan has generated for imported objects without a declaration.
    std::map<infra::address, std::string> generated;
    std::optional<plan_parts> parts;  ///< nothing: the plan depends on the serial number of the whole state
    int format = 0;  ///< the format of the file from which it was read
    /// Returns whether the graph configures providers, as it does since format 4.
    [[nodiscard]] auto configures_providers() const noexcept -> bool { return format == 0 || format > 3; }
};

/// Writes a plan file atomically.
[[nodiscard]] auto write_plan(std::filesystem::path const& to, saved_plan const& saved,
    encryption::target const& sealed_with = encryption::target("plan", {encryption::method()})) -> expected<void>;
/// Reads plans of all formats. Returns an error if the file is damaged or not a plan.
[[nodiscard]] auto read_plan(std::filesystem::path const& from,
    encryption::target const& sealed_with = encryption::target("plan", {encryption::method()})) -> expected<saved_plan>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_PLAN_FILE_HPP
