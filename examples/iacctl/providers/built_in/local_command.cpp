// SPDX-License-Identifier: BSL-1.0
#include "base/child_process.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/action_type.hpp"
#include "providers/redaction.hpp"
#include "providers/resource_type.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

namespace iacctl::providers {

namespace {

using language::type;
using strider::infra::diagnostics;

constexpr std::size_t longest_part = std::size_t{64} * 1024;  // longer ones are printed in parts

/// Runs a program without a shell. Each line of its output is a message of progress.
///
/// \source hashicorp/local 2.6, action local_command: arguments.
class local_command_type final : public action_type {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "local_command"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"registry.terraform.io/hashicorp/local\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        static language::schema const s{{
            {.name = "arguments", .of = type::list(type::string()), .optional = true},
            {.name = "command", .of = type::string(), .required = true},
            {.name = "environment", .of = type::map(type::string()), .optional = true},
            {.name = "stdin", .of = type::string(), .optional = true},
            {.name = "working_directory", .of = type::string(), .optional = true},
        }};
        return s;
    }

    [[nodiscard]] auto invoke(invoke_request request, std::set<std::string> withheld) const
        -> task<diagnostics> override
    {
        value const bare = request.config.unmarked_deep();
        std::string const marks = marks_text(request.config);
        child_command command;
        command.words.push_back(text_of(bare, "command"));
        for (std::string& word : texts_of(bare, "arguments")) command.words.push_back(std::move(word));
        command.directory = text_of(bare, "working_directory");
        command.input = text_of(bare, "stdin");
        command.added = pairs_of(bare, "environment");
        command.keeps_errors_apart = true;
        command.withheld = std::move(withheld);
        std::string const program = command.words.front();
        if (program.empty()) co_return about_attribute("command", messages::make_error(messages::local_command_empty));

        std::string line;
        auto const report = [&] {
            request.print(marks.empty() ? line : suppressed_line(marks));
            line.clear();
        };
        auto running = run_child(std::move(command), [&](std::string_view got) {
            for (char const ch : got) {
                if (ch != '\n' && ch != '\r') line += ch;
                if (ch == '\n' || line.size() == longest_part) report();
            }
            return true;
        });
        child_outcome const outcome = co_await std::move(running);
        if (outcome.start_error != 0) {
            auto const why = std::generic_category().message(outcome.start_error);
            co_return about_attribute(
                "command", messages::make_error(messages::local_command_not_started, {program, why}));
        }
        if (!line.empty()) report();
        if (outcome.succeeded()) co_return diagnostics();
        std::string const errors =
            marks.empty() ? shown_output(outcome.errors) : "  " + hidden_text(marks, "the action");
        co_return about_attribute(
            "command", messages::make_error(messages::local_command_failed, {program, outcome.text(), errors}));
    }
};

}  // namespace

auto local_command() -> action_type const&
{
    static local_command_type const instance;
    return instance;
}

auto action_types() -> std::span<action_type const* const>
{
    static std::array<action_type const*, 1> const all{&local_command()};
    return all;
}

}  // namespace iacctl::providers
