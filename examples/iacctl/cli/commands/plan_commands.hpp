// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_PLAN_COMMANDS_HPP
#define IACCTL_CLI_COMMANDS_PLAN_COMMANDS_HPP

#include "cli/arguments/shared_options.hpp"
#include "plan_policies.hpp"
#include "plan_request.hpp"

#include <string>

namespace iacctl::commands {

/// Options of the commands that make a plan and show it.
struct run_options : options_with<>,
                     planning_options,
                     policy_options,
                     variable_options,
                     stream_options,
                     record_options,
                     placement_options,
                     running_options,
                     message_options {};

struct plan_options : run_options, reading_lock_options, read_file_options {
    bool detailed_exit_code = false;
    std::string out;

    void declare(option_list& to)
    {
        planning_options::declare(to);
        policy_options::declare(to);
        variable_options::declare(to);
        to.begin_group("Output options");
        to.on("detailed-exitcode", "Exit with 0 if there are no changes, 1 after an error, 2 if there are changes.",
            detailed_exit_code);
        to.with_value("out", "FILE", "Save the plan, for \"iacctl apply FILE\".", out, completion::file);
        to.with_value("generate-config-out", "FILE",
            "Write configuration for imported resources that have none to FILE, which must not exist.", generated,
            completion::file);
        declare_invoke(to);
        declare_page(to);
        declare_trace(to);
        json_file_options::declare(to);
        placement_options::declare(to);
        running_options::declare(to);
        reading_lock_options::declare(to);
        read_file_options::declare(to);
        message_options::declare(to);
    }
};

struct apply_options : run_options, approval_options, lock_options, state_file_options {
    bool suppress_forget_errors = false;

    void declare(option_list& to)
    {
        to.begin_group("Apply options");
        approval_options::declare(to);
        declare_invoke(to);
        to.on("suppress-forget-errors",
            "Exit with 0 if a destruction has removed objects from state without destroying them.",
            suppress_forget_errors);
        to.on("stop-on-failure",
            "Start no operation after one has failed. Without it, operations that do not depend on the failed one "
            "continue.",
            limits.stop_on_first_failure);
        to.with_value(
            "html", "FILE", "Write an HTML page to FILE that replays the apply on its graph.", html, completion::file);
        declare_trace(to);
        json_file_options::declare(to);
        planning_options::declare(to);
        policy_options::declare(to);
        variable_options::declare(to);
        placement_options::declare(to);
        running_options::declare(to);
        lock_options::declare(to);
        state_file_options::declare(to);
        message_options::declare(to);
    }
};
}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_PLAN_COMMANDS_HPP
