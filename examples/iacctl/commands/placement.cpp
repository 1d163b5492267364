// SPDX-License-Identifier: BSL-1.0
// The options -executor and -place, and the worker that they start on nodes.
#include "placement.hpp"

#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "remote/slurm_executor.hpp"
#include "remote/worker.hpp"

#include <memory>
#include <string_view>
#include <utility>

namespace iacctl::commands {

namespace {

constexpr std::string_view placed_type = "local-exec=";

}  // namespace

auto placement_problem(request const& asked) -> std::optional<infra::diagnostic>
{
    if (asked.places.empty())
        return asked.executor == "local" ? std::nullopt : std::optional(make_error(messages::executor_without_place));
    if (asked.executor != "slurm") return make_error(messages::place_without_executor);
    if (asked.places.size() > 1) return make_error(messages::place_repeated);
    std::string const& place = asked.places.front();
    auto const sign = place.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == place.size())
        return make_error(messages::place_malformed, {place});
    for (char const c : std::string_view(place).substr(sign + 1))
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_' && c != '-'
            && c != '.')
            return make_error(messages::place_malformed, {place});
    if (!place.starts_with(placed_type)) return make_error(messages::place_unsupported, {place.substr(0, sign)});
    return std::nullopt;
}

auto placed_runner(request const& asked) -> providers::command_runner
{
    if (asked.places.empty() || placement_problem(asked)) return {};
    auto executor = std::make_shared<remote::slurm_executor>(asked.places.front().substr(placed_type.size()));
    return [executor](providers::child_command what, std::function<bool(std::string_view)> output) {
        return executor->run(std::move(what), std::move(output));
    };
}

auto serve_commands(session const& s) -> int
{
    std::string const why = remote::serve(s.asked().arguments.empty() ? std::string() : s.asked().arguments.front());
    return why.empty() ? 0 : s.tell(make_error(messages::worker_ended, {why}));
}

}  // namespace iacctl::commands
