// SPDX-License-Identifier: BSL-1.0
#include "base/child_process.hpp"
#include "base/environment.hpp"
#include "base/trimmed.hpp"
#include "messages/providers.hpp"
#include "messages/report.hpp"
#include "providers/data_source.hpp"
#include "providers/redaction.hpp"
#include "providers/resource_type.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

constexpr std::size_t longest_output = std::size_t{64} << 20U;

auto is_program(std::string const& path) -> bool
{
    struct stat found{};
    return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

// The path of a program in the search order of a shell; empty if it is not found.
auto find_program(std::string const& name) -> std::string
{
    if (name.find('/') != std::string::npos) return name;
    std::string const path = environment_variable("PATH");
    std::string_view left = path;
    while (!left.empty()) {
        auto const end = std::min(left.find(':'), left.size());
        std::string const candidate = std::string(end == 0 ? "." : left.substr(0, end)) + "/" + name;
        if (is_program(candidate)) return candidate;
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    return {};
}

auto kind_name(value const& v) -> std::string
{
    switch (v.kind()) {
    case language::type_kind::number: return "a number";
    case language::type_kind::boolean: return "true or false";
    case language::type_kind::object: return "an object";
    case language::type_kind::tuple: return "an array";
    default: return v.is_null() ? "null" : "a string";
    }
}

/// Data from a program that reads and writes JSON.
///
/// \source hashicorp/external 2, data source external: protocol and texts.
class external_source final : public data_source {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "external"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"registry.terraform.io/hashicorp/external\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        using language::type;
        static language::schema const s{{
            {.name = "id", .of = type::string(), .computed = true},
            {.name = "program", .of = type::list(type::string()), .required = true},
            {.name = "query", .of = type::map(type::string()), .optional = true},
            {.name = "result", .of = type::map(type::string()), .computed = true},
            {.name = "working_dir", .of = type::string(), .optional = true},
        }};
        return s;
    }

    [[nodiscard]] auto read(value config, data_context in) const -> task<expected<value>> override
    {
        value const bare = config.unmarked_deep();
        child_command command;
        for (std::string& word : texts_of(bare, "program"))
            if (!word.empty()) command.words.push_back(std::move(word));
        if (command.words.empty())
            co_return problem_with("program", messages::make_error(messages::external_program_missing));
        std::string const program = find_program(command.words.front());
        if (program.empty()) co_return not_found(command.words.front());
        std::vector<language::value_entry> query;
        for (auto& [key, text] : pairs_of(bare, "query")) query.push_back({key, value(text)});
        command.input = language::to_json(value::object(std::move(query)));
        command.directory = text_of(bare, "working_dir");
        command.keeps_errors_apart = true;
        command.withheld = *in.withheld;
        std::string const desired = command.words.front();

        std::string output;
        auto running = run_child(std::move(command), [&output](std::string_view got) {
            output += got;
            return output.size() <= longest_output;
        });
        auto executor = co_await strider::asio::this_coro::executor;
        auto spawned = strider::asio::co_spawn(executor, std::move(running), strider::asio::use_awaitable);
        child_outcome const outcome = co_await std::move(spawned);
        if (outcome.start_error != 0) co_return not_started(desired, outcome);
        if (output.size() > longest_output) co_return too_long(program);
        if (!outcome.succeeded()) {
            std::string const marks = marks_text(config);
            co_return ended_badly(program, outcome,
                marks.empty() ? shown_output(outcome.errors) : "  " + hidden_text(marks, "the data source"));
        }
        co_return answer(config, program, output);
    }

private:
    static auto not_found(std::string const& program) -> strider::infra::failure
    {
        return problem_with("program", messages::make_error(messages::external_program_not_found, {program}));
    }

    static auto not_started(std::string const& program, child_outcome const& outcome) -> strider::infra::failure
    {
        auto const why = std::generic_category().message(outcome.start_error);
        return problem_with("program", messages::make_error(messages::external_program_not_started, {program, why}));
    }

    static auto too_long(std::string const& program) -> strider::infra::failure
    {
        return problem_with("program", messages::make_error(messages::external_output_too_long, {program}));
    }

    static auto ended_badly(std::string const& program, child_outcome const& outcome, std::string const& shown)
        -> strider::infra::failure
    {
        return problem_with(
            "program", messages::make_error(messages::external_program_failed, {program, outcome.text(), shown}));
    }

    static auto answer(value const& config, std::string const& program, std::string const& output) -> expected<value>
    {
        auto const unusable = [&](std::string const& why) {
            return problem_with("program", messages::make_error(messages::external_result_invalid, {program, why}));
        };
        if (trimmed(output).empty()) return unusable("it printed nothing");
        auto const parsed = language::from_json(output);
        if (!parsed) return unusable("its output cannot be read: " + parsed.error().message());
        if (!parsed->is(language::type_kind::object) || !parsed->has_data())
            return unusable("it printed " + kind_name(*parsed));
        std::vector<language::value_entry> entries;
        for (language::value_entry const& e : parsed->entries()) {
            if (e.of.is_null()) entries.push_back({e.key, value("")});
            else if (!e.of.is(language::type_kind::string))
                return unusable("the value of \"" + e.key + "\" is " + kind_name(e.of));
            else entries.push_back(e);
        }
        return with(config, {{"id", value("-")}, {"result", value::map(language::type::string(), std::move(entries))}});
    }
};

}  // namespace

auto external_data() -> data_source const&
{
    static external_source const instance;
    return instance;
}

}  // namespace iacctl::providers
