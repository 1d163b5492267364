// SPDX-License-Identifier: BSL-1.0
#include "key_program.hpp"

#include "base/blocking_child.hpp"
#include "messages/encryption.hpp"
#include "messages/report.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace iacctl::workspace {

namespace {

auto run_for_a_minute(std::vector<std::string> const& words, std::string const& input, std::size_t longest)
    -> expected<std::string>
{
    child_command command;
    command.words = words;
    command.input = input;
    auto run = run_child(std::move(command), std::chrono::minutes(1), longest);
    if (run.succeeded()) return std::move(run.output);
    return infra::failure(messages::make_error(messages::key_program_failed, {run.why, run.errors}));
}

}  // namespace

auto run_key_program(std::vector<std::string> const& words, std::string const& input) -> expected<std::string>
{
    return run_for_a_minute(words, input, std::size_t{1} << 20U);
}

auto run_method_program(std::vector<std::string> const& words, std::string const& input) -> expected<std::string>
{
    return run_for_a_minute(words, input, std::size_t{1} << 30U);
}

}  // namespace iacctl::workspace
