// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_PLAN_FILE_HPP
#define IACCTL_APP_PLAN_FILE_HPP

#include "encryption/target.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/basic_plan.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace iacctl::app {

namespace infra = strider::infra;
using plan = infra::basic_plan<language::value>;

/// The parts of state that a plan depends on, with the versions that it was made from; 0: the part was not there.
struct plan_parts {
    std::map<std::string, std::int64_t> written;  ///< what it changes
    std::map<std::string, std::int64_t> read;     ///< what the changes are computed from
};

/// A plan with all it takes to carry it out elsewhere and later: the configuration and the variables it was made from.
struct saved_plan {
    std::map<std::string, std::string> files;            ///< configuration, by name
    std::map<std::string, language::value> variables;    ///< ephemeral ones are not written
    std::string workspace;
    std::string created;                                 ///< RFC 3339
    infra::snapshot prior;                               ///< state as the plan has found it
    infra::document checks;                              ///< what came of the rules that could be asked
    plan what;
    std::optional<plan_parts> parts;  ///< nothing: it depends on the state as a whole, by its serial number
    int format = 0;                                      ///< of the file that it was read from
    /// Does the graph configure providers? Before format 4 it does not.
    [[nodiscard]] auto configures_providers() const noexcept -> bool { return format == 0 || format > 3; }
};

/// Writes it whole or not at all.
[[nodiscard]] auto write_plan(std::filesystem::path const& to, saved_plan const& of,
    encryption::target const& sealed_with = encryption::target("plan", {encryption::method()}))
    -> infra::expected<void>;
/// Reads plans of all formats. Refuses what is damaged, or no plan.
[[nodiscard]] auto read_plan(std::filesystem::path const& from,
    encryption::target const& sealed_with = encryption::target("plan", {encryption::method()}))
    -> infra::expected<saved_plan>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_PLAN_FILE_HPP
