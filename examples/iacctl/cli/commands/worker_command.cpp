// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "session.hpp"
#include "slurm/worker.hpp"

#include <string>

namespace iacctl::commands {

namespace {

auto serve_commands(no_options const& options, session const& s) -> int
{
    std::string const why = slurm::serve(options.arguments.empty() ? std::string() : options.arguments.front());
    return why.empty() ? 0 : s.report(make_error(messages::worker_ended, {why}));
}

}  // namespace

// -executor=slurm starts this command on nodes.
constinit command const worker_command{
    "__worker", {.configuration = configuration_use::directory}, begin<serve_commands>, {}, {}, {"ADDRESS", 1}};

}  // namespace iacctl::commands
