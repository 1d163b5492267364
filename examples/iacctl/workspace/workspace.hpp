// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_WORKSPACE_HPP
#define IACCTL_WORKSPACE_WORKSPACE_HPP

#include "base/expected.hpp"
#include "known_schemas.hpp"
#include "language/configuration/configuration.hpp"
#include "language/configuration/variables.hpp"
#include "plan_file.hpp"
#include "prepared_plan.hpp"
#include "recorded_durations.hpp"
#include "root_module.hpp"
#include "run_callbacks.hpp"
#include "settings.hpp"
#include "state_access.hpp"
#include "unsaved_changes.hpp"
#include "workspace/program/hcl_program.hpp"

#include <strider/infra/apply/apply_report.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/plan_options.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::workspace {

/// The purpose of a plan.
struct plan_parameters {
    infra::plan_options options;
    state::open_mode mode = state::open_mode::read_only;  ///< read_write: the plan is to be applied
    std::filesystem::path generated;  ///< a new file for generated configuration; empty: none
    /// Receives the objects of blocks `list`. If it is not empty, only these blocks and their dependencies are planned.
    std::function<void(providers::found_objects)> listed;
    bool lists_whole_objects = false;  ///< even if a block `list` does not request the objects
    bool defers = false;  ///< changes that are unknown before an apply are left to a later plan, and are not an error
};

/// The result of planning.
struct plan_result {
    std::optional<prepared_plan> made;  ///< even of a failed plan, with the parts that were planned
    infra::diagnostics problems;  ///< the reasons of a failure; otherwise warnings to be reported before the plan
    bool interrupted = false;

    /// Returns whether there is a plan that can be applied.
    [[nodiscard]] auto ok() const -> bool { return made && !problems.has_errors(); }
};

/// The result of an apply.
struct apply_result {
    bool ran = false;  ///< false: the apply was refused because of the problems
    infra::apply_report report;  ///< its problems are among those below
    infra::diagnostics problems;  ///< warnings of the plan, problems of the apply
    infra::diagnostics of_saving;  ///< problems of saving state, and other messages for the end
    int interrupted = 0;  ///< how often
    std::optional<unsaved_changes> unsaved{};  ///< to be ended after the output above, which names the place of state
};

/// The result of an import, which was successful unless there are errors.
struct import_result {
    infra::diagnostics problems;
    bool interrupted = false;
};

/// The result of the validation of a configuration without state and without values of its variables.
struct validation_result {
    infra::diagnostics found;
    infra::diagnostics of_graph;  ///< cycles, and providers that are missing; empty if there are other errors
    std::vector<std::pair<std::string, language::dialect_choice>>
        dialects;  ///< of each module, by its name; "": the root
    std::shared_ptr<void const> owner;  ///< owns the files to which `found` refers
};

/// A configuration with its state: loads, plans, applies and imports.
///
/// It does not use the command line, the environment or the standard streams, and does not change the directory: it
/// depends only on its settings and on files. As in Terraform, functions and providers resolve relative names of files
/// from the current directory of the process. A program for one configuration therefore changes to its directory and
/// does not set `directory`.
class workspace {
public:
    /// Requests the value of a variable that has none; nothing if there is no answer.
    using question = std::function<std::optional<std::string>(language::variable const&)>;

    /// Makes the configuration with the values of its variables. Null after errors.
    using program_source = std::function<std::unique_ptr<program::hcl_program>(infra::diagnostics&)>;

    /// \param ask  empty: a variable without a value is an error
    explicit workspace(settings s, question ask = {});
    /// A workspace that plans and applies the configuration of `made_by` in place of the one in its directory.
    workspace(settings s, program_source made_by);

    [[nodiscard]] auto options() const noexcept -> settings const& { return settings_; }
    [[nodiscard]] auto root() const noexcept -> root_module const& { return root_; }
    [[nodiscard]] auto name() const noexcept -> std::string const& { return settings_.workspace; }

    /// Validates the configuration as far as possible without values, and returns it even after errors.
    [[nodiscard]] auto check_configuration(infra::diagnostics& found,
        known_schemas::validation v = known_schemas::validation::by_schema) const -> language::configuration;
    /// The same with the graph of all declarations.
    [[nodiscard]] auto validate(known_schemas::validation v) const -> validation_result;
    /// Loads the configuration, and checks that this version meets its requirements. Nothing after errors.
    [[nodiscard]] auto load_configuration(infra::diagnostics& problems) const -> std::optional<language::configuration>;
    /// The values of the variables of a configuration.
    [[nodiscard]] auto variables_of(language::configuration const& c, infra::diagnostics& found) const
        -> language::variable_values;

    /// The configuration with the values of its variables, optionally with an additional file in the root module. Null
    /// after errors.
    [[nodiscard]] auto load(infra::diagnostics& problems, std::string const& added = {}) const
        -> std::unique_ptr<program::hcl_program>;

    enum class purpose : std::uint8_t { to_show, to_apply };
    /// The configuration from which a saved plan was made. To be applied, it needs the ephemeral variables again.
    /// Objects of a plan of an earlier version are completed.
    [[nodiscard]] auto load(saved_plan& saved, purpose what_for, infra::diagnostics& problems) const
        -> std::unique_ptr<program::hcl_program>;

    /// The place of the states of all workspaces.
    [[nodiscard]] auto backend() const -> expected<std::shared_ptr<state::backend>> { return backend_of(root_); }
    /// State with the lock of the workspace, which is held until the result is destroyed.
    [[nodiscard]] auto open(state::open_mode mode) const -> expected<state_access>
    {
        return state_access::open(root_, mode);
    }
    /// Opens state to change it.
    [[nodiscard]] auto change() const -> expected<opened_state> { return opened_state::open(root_); }
    /// The same to replace state, even if the document of a server cannot be used.
    [[nodiscard]] auto replace() const -> expected<opened_state> { return opened_state::open_to_replace(root_); }
    /// The store of the workspace without a lock, for reading.
    [[nodiscard]] auto reader() const -> expected<std::unique_ptr<state::store>>;
    /// The present state, without a lock.
    [[nodiscard]] auto read_state() const -> expected<infra::snapshot>;

    /// Reads state and configuration, and plans.
    [[nodiscard]] auto plan(plan_parameters parameters, run_callbacks const& callbacks = {}) const -> plan_result;
    /// A saved plan to be applied.
    [[nodiscard]] auto reopen(std::filesystem::path const& file) const -> plan_result;
    /// Applies a plan with the lock that it holds, and records the durations of operations.
    /// \post `pp` has its plan, but neither its state nor its warnings
    [[nodiscard]] auto apply(prepared_plan&& pp, run_callbacks const& callbacks = {}) const -> apply_result;
    /// The durations of operations that earlier runs recorded.
    [[nodiscard]] auto durations() const -> recorded_durations;
    /// Imports an existing object into state as that instance of a resource.
    [[nodiscard]] auto import(program::hcl_program const& desired, opened_state& to, infra::address const& target,
        std::string const& id, run_callbacks const& callbacks = {}) const -> import_result;

private:
    [[nodiscard]] auto variable_inputs() const -> language::variable_inputs;
    // The names of the ephemeral variables of a configuration that are set.
    [[nodiscard]] auto given_ephemerals(language::configuration const& c) const -> std::set<std::string, std::less<>>;
    // The variables of a plan that is applied: those in the plan, and the present ephemeral ones.
    [[nodiscard]] auto variables_of(saved_plan const& saved, language::configuration const& configuration,
        infra::diagnostics& found) const -> std::map<std::string, language::value>;

    settings settings_;
    root_module root_;
    question ask_;
    program_source made_by_;  // empty: the files of the directory
};

/// Reports limits of unknown types, which would have no effect.
void check_limits(infra::execution_limits const& limits, providers::catalog const& known, infra::diagnostics& problems);

/// The texts of all files of a configuration, by name.
[[nodiscard]] auto texts_of(language::configuration const& c) -> std::map<std::string, std::string>;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_WORKSPACE_HPP
