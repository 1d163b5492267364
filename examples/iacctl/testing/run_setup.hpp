// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_RUN_SETUP_HPP
#define IACCTL_TESTING_RUN_SETUP_HPP

#include "language/configuration/test_file.hpp"
#include "language/configuration/variables.hpp"
#include "mocks.hpp"
#include "module_under_test.hpp"
#include "test_scope.hpp"
#include "workspace/program/hcl_program.hpp"
#include "workspace/settings.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::testing {

/// A module with all data for its execution by a run. The end of the file uses the set-up of the last run of each state
/// again, to destroy it.
class run_setup {
public:
    /// \param s  with the directory of the configuration of the file, and all variables from outside
    /// \param main  the configuration of the file
    /// \param found  receives errors, after which the set-up cannot be used \pre all outlive this object
    run_setup(workspace::settings const& s, module_under_test const& main, module_under_test const& module,
        language::test_file const& file, language::test_run const& run, std::shared_ptr<test_scope const> scope,
        infra::diagnostics& found);

    enum class purpose : std::uint8_t { test, clean_up };
    /// The configuration for the run. Null after errors.
    [[nodiscard]] auto program(purpose what_for, infra::diagnostics& problems) const
        -> std::unique_ptr<program::hcl_program>;
    /// The settings of a workspace for the run.
    [[nodiscard]] auto settings_with(
        std::shared_ptr<state::backend> states, workspace::interrupt_source* interrupts) const -> workspace::settings;
    [[nodiscard]] auto scope() const noexcept -> test_scope const& { return *scope_; }
    /// Variables of the run that the module does not declare; assertions can refer to them.
    [[nodiscard]] auto variables_of_run() const noexcept -> std::map<std::string, language::value, std::less<>> const&
    {
        return of_run_;
    }
    [[nodiscard]] auto module() const noexcept -> module_under_test const& { return *module_; }

private:
    void read_variables(language::test_run const& run, infra::diagnostics& found);
    void read_providers(module_under_test const& main, language::test_file const& file, language::test_run const& run,
        infra::diagnostics& found);
    void add_provider(
        std::string const& name, language::test_provider const& as, std::string address, infra::diagnostics& found);
    void read_overrides(language::test_file const& file, language::test_run const& run, infra::diagnostics& found);
    [[nodiscard]] auto values_of(language::expression const& e, bool in_plan, language::source_range const& place,
        infra::diagnostics& found) const -> mock_values;

    workspace::settings settings_;
    module_under_test const* module_;
    std::shared_ptr<test_scope const> scope_;
    std::map<std::string, language::value> variables_;
    std::map<std::string, language::value, std::less<>> of_run_;
    std::vector<std::shared_ptr<language::syntax_tree>> texts_;  // diagnostics about variables refer to them
    std::vector<language::provider_block> providers_;  // replace those of the module
    std::map<std::string, language::value, std::less<>> outputs_;  // of modules that are overridden
    std::vector<infra::address> emptied_;  // modules that are overridden as a whole
    std::shared_ptr<mocks> mocks_ = std::make_shared<mocks>();
};

/// The value of a variable that no configuration declares, from the command line, the environment or a file.
[[nodiscard]] auto undeclared_variable(workspace::settings const& s, std::string const& name)
    -> std::optional<language::value>;

/// The values of the blocks `variable` of a test file, from the same places or their defaults.
[[nodiscard]] auto defined_variables(workspace::settings const& s, language::test_file const& file,
    infra::diagnostics& found) -> language::variable_values;

/// Returns whether a configuration has the object or module of an address.
[[nodiscard]] auto has(language::configuration const& c, infra::address const& target) -> bool;

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_RUN_SETUP_HPP
