// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_WORKSPACE_HPP
#define IACCTL_APP_WORKSPACE_HPP

#include "known_schemas.hpp"
#include "language/configuration/configuration.hpp"
#include "language/configuration/variables.hpp"
#include "plan_file.hpp"
#include "prepared_plan.hpp"
#include "program/hcl_program.hpp"
#include "recorded_durations.hpp"
#include "root_module.hpp"
#include "run_callbacks.hpp"
#include "settings.hpp"
#include "state_access.hpp"
#include "unsaved_changes.hpp"

#include <strider/infra/apply/apply_report.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/plan_options.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::app {

/// The purpose of a plan.
struct plan_parameters {
    infra::plan_options options;
    state::open_mode mode = state::open_mode::read_only;  ///< read_write: it is to be applied
    std::filesystem::path generated;  ///< a new file for configuration of what is imported; empty: none is generated
    /// Takes the objects of blocks `list`. Not empty: only these blocks, and what they depend on, are planned.
    std::function<void(providers::found_objects)> listed;
    bool lists_whole_objects = false;  ///< even where a block `list` does not ask for the objects
    bool defers = false;  ///< what cannot be decided before an apply is left to a later plan, and is no error
};

/// The result of planning.
struct plan_result {
    std::optional<prepared_plan> made;  ///< even of a plan that failed, as far as it got
    infra::diagnostics problems;  ///< why it failed; of one that did not, warnings to be told before it
    bool interrupted = false;

    /// Is there a plan that can be applied?
    [[nodiscard]] auto ok() const -> bool { return made && !infra::has_errors(problems); }
};

/// The result of an apply.
struct apply_result {
    bool ran = false;  ///< false: it was refused, with the problems
    infra::apply_report report;  ///< its problems are among those below
    infra::diagnostics problems;  ///< warnings of the plan, problems of the apply
    infra::diagnostics of_saving;  ///< where state could not be saved, and what else is to be said at the end
    int interrupted = 0;  ///< how often
    std::optional<unsaved_changes>
        unsaved{};  ///< to be ended once all of the above is printed: only that says where state is
};

/// The result of an import: it is done unless there are errors.
struct import_result {
    infra::diagnostics problems;
    bool interrupted = false;
};

/// All that can be said about a configuration without state and without values of its variables.
struct validation_result {
    language::diagnostics found;
    infra::diagnostics of_graph;  ///< cycles, and providers that are missing; empty if there are other errors
    std::vector<std::pair<std::string, language::dialect_choice>>
        dialects;  ///< of each module, by its name; "": the root
    std::shared_ptr<void const> owner;  ///< of the files that `found` points into
};

/// A configuration with its state: loads, plans, applies and imports.
///
/// It reads no command line, no environment, no standard streams, and changes no directory: all that it depends on is in its
/// settings and in files. Only functions and providers that take relative names of files find them from the current directory
/// of the process, as in Terraform: a program for one configuration changes to its directory and leaves `directory` as it is.
class workspace {
public:
    /// Asks for the value of a variable that has none; nothing: there is no answer.
    using question = std::function<std::optional<std::string>(language::variable const&)>;

    /// Makes the configuration with the values of its variables. Null after errors.
    using program_source = std::function<std::unique_ptr<program::hcl_program>(infra::diagnostics&)>;

    /// \param ask  empty: a variable without a value is an error
    explicit workspace(settings of, question ask = {});
    /// A workspace that plans and applies what `made_by` makes, in place of the configuration in its directory.
    workspace(settings of, program_source made_by);

    [[nodiscard]] auto options() const noexcept -> settings const& { return settings_; }
    [[nodiscard]] auto root() const noexcept -> root_module const& { return root_; }
    [[nodiscard]] auto name() const noexcept -> std::string const& { return settings_.workspace; }

    /// The configuration, with all that can be said without values; it is there even after errors.
    [[nodiscard]] auto check_configuration(language::diagnostics& found,
        known_schemas::validation how = known_schemas::validation::by_schema) const -> language::configuration;
    /// The same with the graph of all declarations.
    [[nodiscard]] auto validate(known_schemas::validation how) const -> validation_result;
    /// The configuration, and that this version has what it asks for. Nothing after errors.
    [[nodiscard]] auto load_configuration(infra::diagnostics& problems) const -> std::optional<language::configuration>;
    /// The values of the variables of a configuration.
    [[nodiscard]] auto variables_of(language::configuration const& of, language::diagnostics& found) const
        -> language::variable_values;

    /// The configuration with the values of its variables, and perhaps with one file more in the root module. Null after errors.
    [[nodiscard]] auto load(infra::diagnostics& problems, std::string const& added = {}) const
        -> std::unique_ptr<program::hcl_program>;

    enum class purpose : std::uint8_t { to_show, to_apply };
    /// The configuration that a saved plan was made from. To be applied, it needs the ephemeral variables again. Objects of a plan
    /// of an earlier version are completed.
    [[nodiscard]] auto load(saved_plan& of, purpose what_for, infra::diagnostics& problems) const
        -> std::unique_ptr<program::hcl_program>;

    /// The place of the states of all workspaces.
    [[nodiscard]] auto backend() const -> infra::expected<std::shared_ptr<state::backend>> { return backend_of(root_); }
    /// State under the lock of the workspace, which is held until the result is destroyed.
    [[nodiscard]] auto open(state::open_mode mode) const -> infra::expected<state_access>
    {
        return state_access::open(root_, mode);
    }
    /// State to be changed.
    [[nodiscard]] auto change() const -> infra::expected<opened_state> { return opened_state::open(root_); }
    /// The store of the workspace without a lock, to be read.
    [[nodiscard]] auto reader() const -> infra::expected<std::unique_ptr<state::store>>;
    /// State as it is now, without a lock.
    [[nodiscard]] auto read_state() const -> infra::expected<infra::snapshot>;

    /// Reads state and configuration, and plans.
    [[nodiscard]] auto plan(plan_parameters parameters, run_callbacks const& with = {}) const -> plan_result;
    /// A plan that was saved, to be applied.
    [[nodiscard]] auto reopen(std::filesystem::path const& file) const -> plan_result;
    /// Carries out a plan, under the lock that it holds, and records the durations of operations.
    /// \post `of` has its plan, but neither its state nor its warnings
    [[nodiscard]] auto apply(prepared_plan&& of, run_callbacks const& with = {}) const -> apply_result;
    /// The durations of operations that earlier runs recorded.
    [[nodiscard]] auto durations() const -> recorded_durations;
    /// Takes an object that exists into state, as that instance of a resource.
    [[nodiscard]] auto import(program::hcl_program const& desired, opened_state& to, infra::address const& target,
        std::string const& id, run_callbacks const& with = {}) const -> import_result;

private:
    // The variables of a plan that is applied: those it has, and ephemeral ones as they are given now.
    [[nodiscard]] auto variables_of(saved_plan const& of, language::configuration const& configuration,
        language::diagnostics& found) const -> std::map<std::string, language::value>;

    settings settings_;
    root_module root_;
    question ask_;
    program_source made_by_;  // empty: the files of the directory
};

/// A limit of a type that does not exist would limit nothing, in silence.
void check_limits(infra::execution_limits const& limits, providers::catalog const& known, infra::diagnostics& problems);

/// The texts of all files of a configuration, by name.
[[nodiscard]] auto texts_of(language::configuration const& of) -> std::map<std::string, std::string>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_WORKSPACE_HPP
