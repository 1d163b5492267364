// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_SETTINGS_HPP
#define IACCTL_WORKSPACE_SETTINGS_HPP

#include "interrupt_source.hpp"
#include "language/configuration/variables.hpp"
#include "language/validation/validate.hpp"
#include "providers/built_in/built_in.hpp"
#include "providers/catalog.hpp"
#include "state/backends/file_state.hpp"

#include <strider/infra/program/execution_limits.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::state {

class backend;

}  // namespace iacctl::state

namespace iacctl::workspace {

namespace infra = strider::infra;

/// All data on which work in a workspace depends, except those in files.
struct settings {
    std::filesystem::path directory = ".";  ///< of the configuration; state is kept below it
    std::shared_ptr<language::file_source const> files;  ///< of the configuration; null: those of the file system
    std::filesystem::path data_directory = ".terraform";  ///< Terraform's notes on the configuration, below `directory`
    std::string workspace = "default";
    std::string operation;  ///< its name in the lock and in the history of state: "plan"
    bool reads_queries = false;  ///< the root module has its files `*.tfquery.hcl`, too
    language::validation_options validation;
    bool configuration_required = false;  ///< a directory without configuration is an error

    std::vector<language::variable_option> variables;  ///< in the order given
    std::map<std::string, std::string> environment;  ///< of which `TF_VAR_...` and `IACCTL_PASS_SENSITIVE` are used

    /// The providers that are available.
    std::shared_ptr<providers::catalog const> providers =
        std::make_shared<providers::catalog>(providers::built_in_providers());
    providers::instance_maker make_provider;  ///< empty: sources make the instances
    command_runner run_provisioner;  ///< empty: commands of provisioners run on this machine
    std::shared_ptr<providers::operation_runner> placed;  ///< runs operations on other machines; null: none
    infra::diagnostics provider_problems;  ///< found during the search for providers

    std::shared_ptr<state::backend> states;  ///< replace the backends of the configuration; null: the latter are used

    /// Replace the state of the workspace, if the backend is "local".
    std::optional<backends::state_files> state_files;

    bool lock = true;
    std::chrono::milliseconds lock_timeout{0};
    std::function<void(infra::failure const&)> on_remaining_lock;  ///< reports a lock that could not be released
    infra::execution_limits limits;

    std::filesystem::path emergency_directory;  ///< for state that cannot be saved; empty: the default directory
    int emergency_output = -1;  ///< a file descriptor for state that cannot be written to a file; -1: none

    interrupt_source* interrupts = nullptr;  ///< null: there are no interrupts

    [[nodiscard]] auto configuration_files() const noexcept -> language::file_source const&
    {
        return files == nullptr ? language::disk() : *files;
    }

    /// \throws interrupted  after an interrupt
    void check_interrupts() const
    {
        if (interrupts != nullptr) interrupts->check();
    }
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_SETTINGS_HPP
