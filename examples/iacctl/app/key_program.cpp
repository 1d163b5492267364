// SPDX-License-Identifier: BSL-1.0
#include "key_program.hpp"

#include "messages/encryption.hpp"
#include "messages/report.hpp"
#include "providers/blocking_child.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace iacctl::app {

auto run_key_program(std::vector<std::string> const& words, std::string const& input) -> infra::expected<std::string>
{
    constexpr std::size_t longest = std::size_t{1} << 20U;
    providers::child_command command;
    command.words = words;
    command.input = input;
    auto run = providers::run_child(std::move(command), std::chrono::minutes(1), longest);
    if (run.succeeded()) return std::move(run.output);
    return infra::failure(messages::make_error(messages::key_program_failed, {run.why, run.errors}));
}

}  // namespace iacctl::app
