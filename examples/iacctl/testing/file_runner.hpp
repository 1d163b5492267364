// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_FILE_RUNNER_HPP
#define IACCTL_TESTING_FILE_RUNNER_HPP

#include "expected_failures.hpp"
#include "interrupt_hub.hpp"
#include "language/configuration/test_file.hpp"
#include "module_under_test.hpp"
#include "run_setup.hpp"
#include "state/memory_backend.hpp"
#include "test_result.hpp"
#include "workspace/settings.hpp"
#include "workspace/workspace.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace iacctl::testing {

/// Executes the runs of one file, and destroys the objects that they have created.
///
/// A run waits for an earlier run, unless both are parallel, have different states, and it does not refer to outputs of
/// the earlier one.
class file_runner {
public:
    using modules = std::map<std::string, std::unique_ptr<module_under_test>>;

    /// \param s  with the variables for this file \pre all outlive this object
    file_runner(workspace::settings s, language::test_file const& file, modules const& all, interrupt_hub& interrupts,
        bool verbose, test_listener& to);

    [[nodiscard]] auto run() -> file_result;

private:
    /// A state, and the run that changed it last.
    struct tracked_state {
        std::shared_ptr<state::memory_backend> states = std::make_shared<state::memory_backend>();
        std::size_t last = 0;
        std::shared_ptr<run_setup const> setup;
    };

    void find_dependencies();
    void execute_all();
    void execute(std::size_t number);
    void execute(language::test_run const& run, run_result& result);
    void test_plan(language::test_run const& run, run_setup const& setup, expected_failures const& expected,
        workspace::workspace const& in, run_result& result);
    void test_apply(std::size_t number, language::test_run const& run, std::shared_ptr<run_setup const> const& setup,
        expected_failures const& expected, workspace::workspace const& in, run_result& result);
    /// Evaluates the assertions, and makes the outputs available to other runs.
    void assess(language::test_run const& run, run_setup const& setup, program::hcl_program const& desired,
        infra::snapshot const& state, workspace::plan const* plan, run_result& result);
    /// Calls the listener.
    template <class... Parameters, class... Arguments>
    void report(void (test_listener::*function)(Parameters...), Arguments const&... arguments)
    {
        std::scoped_lock const held(guard_);
        (to_->*function)(arguments...);
    }
    void clean_up();
    void clean_up(tracked_state const& ts);
    [[nodiscard]] auto module_of(language::test_run const& run) const -> module_under_test&;

    workspace::settings settings_;
    language::test_file const* file_;
    modules const* modules_;
    interrupt_hub* interrupts_;
    bool verbose_;
    test_listener* to_;
    std::vector<std::vector<std::size_t>> waits_for_;
    std::map<std::string, tracked_state> states_;  // by key
    std::recursive_mutex guard_;  // protects the following members, and the listener, which may interrupt
    file_result result_;
    std::vector<bool> ended_;  // by number of the run
    std::size_t reported_ = 0;  // runs in the order of the file, so that the output does not depend on durations
    std::map<std::string, language::value> outputs_;  // of runs that have ended
};

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_FILE_RUNNER_HPP
