// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_SCENARIO_HPP
#define STRIDER_TESTS_SUPPORT_SCENARIO_HPP

#include <support/toy_text.hpp>
#include <support/toy_world.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Lifecycles as data: toy programs, and commands for them. A scenario is a text, so that a fuzzer can remove lines and
/// words, and print the rest as a test:
///
///     a kind=x @cbd                   a program, in the language of `toy_text.hpp`
///     b from=$a.id
///     apply                           the end of a step: its command
///     a kind=y @cbd
///     b from=$a.id
///     apply fails=create:a seed=7
///     destroy                         without a program: that of the step before; `nothing` is the empty program
///
/// Commands: `plan`, `apply`, `refresh`, `destroy`, and `outside`, which changes the cloud behind the engine. Words of a command:
///
/// - `target=a` `exclude=m/b` `replace=a[0]` `refresh=false` `refresh=minimal` `defer`, and with `refresh` `invoke=action.n`:
///   options of the plan.
/// - `fails=create:a` `throws=` `hangs=` `slow=` `no_memory=`: a fault, with the names of `sim::provider`: `create:a,partly`,
///   `destroy:a,done`, `plan:a`, `read:a`, `provision:a`, `import:a`, `invoke:action.n`, `configure:provider.q`; the second time: `create:a#2`.
/// - `commit=fails#2` `commit=throws`: a fault of the store.
/// - `rates=80,40,0,40@5`: faults of the apply at random, per thousand: fails, throws, hangs, slow; the seed.
/// - `violates=create:a:returns_nothing`: a violation of the contract of providers.
/// - `stop=3` `kill=3`: cancels, partially or terminally, when the third operation or action starts.
/// - `crash=17`: the world of the apply ends after so many steps; `power=3`: a part of what the store had written and not
///   synchronized survives, by seed.
/// - `refuses` `stale=2` `throttle=3` `outage=200,900` `drift=2:a#1,size,9` `drift=1:a#1`: conditions of the cloud: it destroys
///   nothing that is referenced; reads that do not see a change; requests per second; an outage, in milliseconds; a change,
///   or a destruction, before the second operation. `latency=100`: the duration of each operation.
/// - `operators=2`: so many plan and apply at the same time; `lease=5000`: each takes a lease of so many milliseconds.
/// - `seed=7` `parallelism=1` `forgetful`: order, limit, and a provider that cannot look operations up.
/// - of `outside`: `change=a#1,size,5` `destroy=a#1` `create=a#9,size,1`.
namespace strider::test {

/// One step: a program, and the words of a command.
struct scenario_step {
    std::vector<std::string> program;  ///< its lines
    std::vector<std::string> words;  ///< the command first

    [[nodiscard]] auto verb() const -> std::string_view { return words.empty() ? "apply" : std::string_view(words[0]); }
    [[nodiscard]] auto text() const -> std::string
    {
        std::string all;
        for (std::string const& line : program) all += line + "\n";
        return all;
    }
    /// Returns whether the step plans only a part of all instances.
    [[nodiscard]] auto is_partial() const -> bool
    {
        return std::any_of(words.begin(), words.end(),
            [](std::string const& w) { return w.starts_with("target=") || w.starts_with("exclude="); });
    }
};

struct scenario {
    std::vector<scenario_step> steps;
};

[[nodiscard]] inline auto is_command(std::string_view word) -> bool
{
    return word == "plan" || word == "apply" || word == "refresh" || word == "destroy" || word == "outside";
}

[[nodiscard]] inline auto to_text(scenario const& s) -> std::string
{
    std::string all;
    std::vector<std::string> before;
    for (scenario_step const& step : s.steps) {
        if (step.program != before) all += step.program.empty() ? "nothing\n" : step.text();
        before = step.program;
        for (std::size_t i = 0; i < step.words.size(); ++i) all += (i == 0 ? "" : " ") + step.words[i];
        all += "\n";
    }
    return all;
}

/// \param before  the program of a first step that has none
/// \throws std::invalid_argument if the last line is not a command
[[nodiscard]] inline auto parse_scenario(std::string_view text, std::vector<std::string> const& before = {}) -> scenario
{
    scenario s;
    std::istringstream lines{std::string(text)};
    std::optional<std::vector<std::string>> program;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::vector<std::string> words;
        for (std::string word; in >> word;) words.push_back(word);
        if (words.empty()) continue;
        if (is_command(words[0])) {
            if (!program) program = s.steps.empty() ? before : s.steps.back().program;
            s.steps.push_back({*std::exchange(program, std::nullopt), std::move(words)});
            continue;
        }
        if (!program) program.emplace();
        std::string tidy;
        for (std::string const& word : words) tidy += (tidy.empty() ? "" : " ") + word;
        if (tidy != "nothing") program->push_back(std::move(tidy));
    }
    if (program) throw std::invalid_argument("no command follows the program of the last step");
    return s;
}

namespace detail {

[[nodiscard]] inline auto to_number(std::string_view text) -> std::uint64_t
{
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        throw std::invalid_argument("no number: " + std::string(text));
    return number;
}

/// "create:a,partly#2" as "create toy.a/partly" and 2.
[[nodiscard]] inline auto to_operation(std::string_view text) -> std::pair<std::string, std::uint32_t>
{
    std::uint32_t occurrence = strider::sim::fault_plan::every;
    if (auto const hash = text.rfind('#'); hash != std::string_view::npos) {
        occurrence = static_cast<std::uint32_t>(to_number(text.substr(hash + 1)));
        text = text.substr(0, hash);
    }
    std::string part;
    if (auto const comma = text.rfind(','); comma != std::string_view::npos) {
        part = "/" + std::string(text.substr(comma + 1));
        text = text.substr(0, comma);
    }
    auto const colon = text.find(':');
    if (colon == std::string_view::npos) return {std::string(text), occurrence};
    std::string const subject(text.substr(colon + 1));
    bool const is_provider = subject.starts_with("provider.");
    return {std::string(text.substr(0, colon)) + " " + (is_provider ? subject : to_string(toy_address(subject))) + part,
        occurrence};
}

[[nodiscard]] inline auto to_fault(std::string_view word) -> std::optional<fault>
{
    for (fault const f : {fault::fails, fault::throws, fault::hangs, fault::slow, fault::no_memory})
        if (word == to_string(f)) return f;
    return std::nullopt;
}

[[nodiscard]] inline auto to_violation(std::string_view word) -> contract_violation
{
    using enum contract_violation;
    for (auto const& [name, what] :
        {std::pair<std::string_view, contract_violation>{"returns_nothing", returns_nothing},
            {"returns_object", returns_object}, {"returns_unknown", returns_unknown}, {"ignores_plan", ignores_plan},
            {"ignores_configuration", ignores_configuration}, {"is_inconsistent", is_inconsistent}})
        if (word == name) return what;
    throw std::invalid_argument("no violation: " + std::string(word));
}

[[nodiscard]] inline auto to_rates(std::string_view text) -> strider::sim::fault_plan
{
    auto const at = text.find('@');
    auto const rates = split(text.substr(0, at), ',');
    if (at == std::string_view::npos || rates.size() != 4)
        throw std::invalid_argument("no rates: " + std::string(text));
    auto const rate = [&](std::size_t i) { return static_cast<std::uint32_t>(to_number(rates[i])); };
    return strider::sim::fault_plan::seeded(to_number(text.substr(at + 1)), {rate(0), rate(1), rate(2), rate(3)});
}

/// "a#1" as "toy.a#1".
[[nodiscard]] inline auto to_id(std::string_view text) -> std::string
{
    auto const hash = std::min(text.find('#'), text.size());
    return to_string(toy_address(text.substr(0, hash))) + std::string(text.substr(hash));
}

[[nodiscard]] inline auto to_drift(std::string_view text) -> infra::sim::drift
{
    auto const colon = std::min(text.find(':'), text.size());
    auto const parts = split(text.substr(std::min(colon + 1, text.size())), ',');
    if (parts.size() != 1 && parts.size() != 3) throw std::invalid_argument("no drift: " + std::string(text));
    infra::sim::drift d{to_number(text.substr(0, colon)), to_id(parts[0]), {}, {}};
    if (parts.size() == 3) {
        d.attribute = parts[1];
        d.text = parts[2];
    }
    return d;
}

}  // namespace detail

/// The meaning of the words of a step.
struct scenario_command {
    infra::plan_options options;
    run_conditions of_plan;
    run_conditions of_apply;
    infra::sim::cloud_conditions cloud;
    std::uint64_t power = 0;
    std::size_t operators = 1;
    std::chrono::milliseconds lease{0};
    bool defers = false;

    /// \throws std::invalid_argument for a word that no command has
    explicit scenario_command(scenario_step const& step)
    {
        if (step.verb() == "destroy") options.mode = plan_mode::destroy;
        if (step.verb() == "refresh") options.mode = plan_mode::refresh_only;
        for (std::string const& word : step.words) read_first(word);
        for (std::size_t i = 1; i < step.words.size(); ++i) read(step.words[i]);
        // A cancellation counts the operations of an apply; a crash ends it.
        of_plan.stop_at = nullptr;
        of_plan.crash_after.reset();
    }

private:
    // Rules of a fault plan take precedence over its rates, which apply only to the apply.
    void read_first(std::string const& word)
    {
        if (word.starts_with("rates=")) of_apply.provider = detail::to_rates(std::string_view(word).substr(6));
    }

    void read(std::string const& word)
    {
        std::size_t const mark = std::min(word.find('='), word.size());
        std::string const key = word.substr(0, mark);
        std::string const value = mark == word.size() ? "" : word.substr(mark + 1);
        auto const both = [&](auto set) {
            set(of_plan);
            set(of_apply);
        };
        auto const number = [&] { return detail::to_number(value); };
        if (key == "rates") return;
        if (key == "target") options.targets.push_back(toy_address(value));
        else if (key == "exclude") options.excludes.push_back(toy_address(value));
        else if (key == "replace") options.replace.push_back(toy_address(value));
        else if (key == "invoke") options.invoke.push_back(toy_address(value));
        else if (key == "refresh" && value == "false") options.refresh = false;
        else if (key == "refresh" && value == "minimal") options.minimal_refresh = true;
        else if (key == "defer") defers = true;
        else if (auto const f = detail::to_fault(key); f) {
            auto const [operation, occurrence] = detail::to_operation(value);
            both([&](run_conditions& c) { c.provider.on(operation, *f, occurrence); });
        } else if (key == "commit") {
            auto const [kind, occurrence] = detail::to_operation(value);
            of_apply.store.on("commit", detail::to_fault(kind).value(), occurrence);
        } else if (key == "violates") {
            auto const colon = value.rfind(':');
            auto const operation = detail::to_operation(std::string_view(value).substr(0, colon)).first;
            auto const what = detail::to_violation(std::string_view(value).substr(colon + 1));
            both([&](run_conditions& c) { c.violations.insert_or_assign(operation, what); });
        } else if (key == "stop" || key == "kill") {
            of_apply.stop = key == "stop" ? asio::cancellation_type::partial : asio::cancellation_type::terminal;
            of_apply.stop_at = [left = number()](toy_event const& e) mutable {
                bool const starts =
                    e.kind == infra::event_kind::operation_started || e.kind == infra::event_kind::action_started;
                return starts && left-- == 1;
            };
        } else if (key == "crash") of_apply.crash_after = number();
        else if (key == "power") power = number();
        else if (key == "operators") operators = number();
        else if (key == "lease") lease = std::chrono::milliseconds(number());
        else if (key == "refuses") cloud.refuses_referenced = true;
        else if (key == "stale") cloud.stale_reads = static_cast<std::uint32_t>(number());
        else if (key == "throttle") cloud.requests = static_cast<std::uint32_t>(number());
        else if (key == "outage") {
            auto const times = detail::split(value, ',');
            cloud.outage_begin = std::chrono::milliseconds(detail::to_number(times.at(0)));
            cloud.outage_end = std::chrono::milliseconds(detail::to_number(times.at(1)));
        } else if (key == "drift") cloud.drifts.push_back(detail::to_drift(value));
        else if (key == "latency") of_apply.latency = std::chrono::milliseconds(number());
        else if (key == "seed") both([&](run_conditions& c) { c.seed = number(); });
        else if (key == "parallelism")
            both([&](run_conditions& c) { c.limits.parallelism = static_cast<std::uint32_t>(number()); });
        else if (key == "forgetful") both([](run_conditions& c) { c.lost_memory = true; });
        else throw std::invalid_argument("no such word in a scenario: " + word);
    }
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_SCENARIO_HPP
