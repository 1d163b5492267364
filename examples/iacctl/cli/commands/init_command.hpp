// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_INIT_COMMAND_HPP
#define IACCTL_CLI_COMMANDS_INIT_COMMAND_HPP

#include "cli/arguments/shared_options.hpp"

#include <string>
#include <vector>

namespace iacctl::commands {

struct init_options
    : options_with<test_directory_options, stream_options, variable_options, lock_options, message_options>,
      input_options {
    bool backend = true;
    std::vector<std::string> backend_options;  //< -backend-config
    bool migrate = false;
    bool reconfigure = false;
    bool force_copy = false;
    bool dry_run = false;
    std::string from_module;
    bool get = true;
    bool upgrade = false;
    std::string lock_file_mode;
    std::vector<std::string> plugin_directories;
    void declare(option_list& to)
    {
        to.off("backend", "Do not initialize the backend.", backend);
        to.off("cloud", "The same as -backend=false.", backend);
        to.with_value("backend-config", "NAME=VALUE|FILE",
            "Set an argument of the backend, or read arguments from a file. May be repeated.", backend_options,
            completion::file);
        to.on("migrate-state", "Ask, and copy states from the backend that was configured before.", migrate);
        to.on("reconfigure", "Use the configured backend, and copy no state.", reconfigure);
        to.on("force-copy", "Like -migrate-state, but answer \"yes\" to each question.", force_copy);
        to.on("dry-run",
            "With -migrate-state or -force-copy: print which states would be copied, and change nothing. Neither "
            "modules "
            "nor providers are installed.",
            dry_run);
        to.with_value("from-module", "SOURCE", "Copy a module into the empty directory first.", from_module);
        to.off("get", "Do not install modules.", get);
        to.on("upgrade", "Install the newest versions of modules and providers that the constraints accept.", upgrade);
        to.with_choice("lockfile", "MODE", "\"readonly\": fail if the dependency lock file would change.",
            lock_file_mode, "readonly");
        to.with_value("plugin-dir", "DIR",
            "Install providers from this directory only, which has the layout of a mirror. May be repeated.",
            plugin_directories, completion::directory);
        to.off("input", "Do not ask questions; a missing answer is an error.", input);
        options_with::declare(to);
    }
};
}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_INIT_COMMAND_HPP
