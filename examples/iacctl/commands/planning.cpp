// SPDX-License-Identifier: BSL-1.0
#include "planning.hpp"

#include "addresses.hpp"
#include "engine_runner.hpp"
#include "generated_config.hpp"
#include "state/files.hpp"
#include "state/foreign_state.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

auto read_options(request const& asked, infra::diagnostics& problems) -> infra::plan_options
{
    infra::plan_options options;
    if (asked.destroy || asked.command == "destroy") options.mode = infra::plan_mode::destroy;
    else if (asked.refresh_only) options.mode = infra::plan_mode::refresh_only;
    options.refresh = asked.refresh;
    options.key_seed = static_cast<std::uint32_t>(std::stoul(state::random_hex(8), nullptr, 16));
    auto const read_all = [&](std::vector<std::string> const& texts, char const* word,
                              std::vector<infra::address>& to) {
        for (std::string const& text : texts) {
            if (auto target = read_target(text)) to.push_back(std::move(*target));
            else
                problems.push_back(infra::make_error(
                    std::string("Invalid ") + word + " " + ui::quoted_text(text), target.error().why().front().detail));
        }
    };
    read_all(asked.targets, "target", options.targets);
    read_all(asked.excludes, "exclude", options.excludes);
    if (!options.targets.empty() && !options.excludes.empty())
        problems.push_back(infra::make_error("Invalid combination of arguments",
            "The target and exclude planning options are mutually-exclusive. Each plan must use either only the target "
            "options or only the exclude options."));
    for (std::string const& text : asked.replace) {
        auto parsed = read_instance(text);
        if (parsed && parsed->mode() == infra::resource_mode::data)
            problems.push_back(infra::make_error("Invalid force-replace address " + ui::quoted_text(text),
                "Only managed resources can be used with the -replace=... option."));
        else if (parsed) options.replace.push_back(std::move(*parsed));
        else
            problems.push_back(infra::make_error(
                "Invalid force-replace address " + ui::quoted_text(text), parsed.error().why().front().detail));
    }
    if (asked.refresh_only && asked.command == "destroy")
        problems.push_back(infra::make_error(
            "Invalid mode option", "The -refresh-only option is not valid for \"terraform destroy\"."));
    if (options.mode != infra::plan_mode::normal && !options.replace.empty())
        problems.push_back(infra::make_error("Unsupported plan mode",
            "Forcing resource instance replacement (with -replace=...) is allowed only in normal planning mode."));
    if (asked.refresh_only && asked.destroy)
        problems.push_back(infra::make_error(
            "Incompatible plan mode options", "The -destroy and -refresh-only options are mutually-exclusive."));
    if (asked.refresh_only && !asked.refresh)
        problems.push_back(infra::make_error("Incompatible refresh options",
            "It doesn't make sense to use -refresh-only at the same time as -refresh=false, because Terraform would "
            "have "
            "nothing to do."));
    return options;
}

// A limit of a type that does not exist would limit nothing, in silence.
void check_limits(request const& asked, infra::diagnostics& problems)
{
    known_schemas const schemas;
    for (auto const& [type, _] : asked.limits.of_type)
        if (schemas.resource(type) == nullptr && schemas.data_source(type) == nullptr)
            problems.push_back(infra::make_error("Invalid parallelism value",
                "There is no resource type \"" + type + "\" that -parallelism could limit."));
}

}  // namespace

auto plan_now(session const& s, state_access& state, infra::observer<language::value> const& watch, int& code,
    std::function<void(prepared&)> const& show) -> std::optional<prepared>
{
    infra::diagnostics problems;
    infra::plan_options options = read_options(s.asked(), problems);
    check_limits(s.asked(), problems);
    if (!problems.empty()) {
        code = s.tell(problems);
        if (!s.machine_readable())
            s.err() << "\nFor more help on using this command, run:\n  iacctl " << s.asked().command << " -help\n";
        return std::nullopt;
    }
    prepared p;
    // While configuration is loaded; what generates configuration has to wait for it.
    auto reading = std::async(std::launch::async, [&state] { return state.read(); });
    auto prior = s.asked().generated.empty() ? infra::checked<read_state>(read_state()) : reading.get();
    if (!prior) {
        code = s.tell(prior.error());
        return std::nullopt;
    }
    if (s.asked().generated.empty()) p.wanted = s.load_program(problems);
    else if (auto generated = generate_config(s, state.store(), *prior, problems)) {
        p.generated = std::move(generated->of);
        p.wanted = s.load_program(problems, generated->text);
        append(problems, save(*generated, s.asked().generated));
    }
    if (p.wanted == nullptr || infra::has_errors(problems)) {
        code = std::max(s.tell(problems), 1);
        return std::nullopt;
    }
    p.warnings = std::move(problems);
    if (reading.valid()) prior = reading.get();
    if (!prior) {
        code = s.tell(prior.error());
        return std::nullopt;
    }
    if (auto const foreign = state::check_foreign_state(".", s.workspace(), prior->now)) {
        code = s.tell(*foreign);
        return std::nullopt;
    }
    if (prior->under_way) p.warnings.push_back(under_way_warning(s, prior->now));
    options.under_way = prior->under_way;

    interrupts signals;
    run_options how(signals);
    how.limits = s.asked().limits;
    how.limits.stop_on_first_failure = false;  // all problems of a plan are wanted
    how.watch = watch;
    bool interrupted = false;
    how.interrupted = [&](int) { interrupted = true; };
    std::optional<plan> unfinished;
    auto made = run_plan(*p.wanted, state.store(), std::move(options), prior->now, how, &unfinished);
    if (!made) {
        if (show && unfinished && !interrupted) {
            p.plan.what = std::move(*unfinished);
            show(p);
        }
        append(p.warnings, made.error().why());
        code = s.tell(p.warnings);
        if (interrupted) code = interrupted_code;
        return std::nullopt;
    }
    p.plan.what = std::move(*made);
    p.plan.files = texts_of(p.wanted->configuration());
    p.plan.variables = p.wanted->variables();
    p.plan.workspace = s.workspace();
    if (p.plan.what.mode == infra::plan_mode::destroy) p.wanted->results().forget();
    p.plan.checks = p.wanted->results().document();
    p.plan.created = state::timestamp(state::now_ms());
    p.start = prior->now;
    p.plan.prior = std::move(prior->now);
    for (auto const& entry : p.plan.what.refreshed) (void)replay(p.plan.prior, entry);
    return p;
}

auto saved_now(session const& s, std::string const& file, int& code) -> std::optional<prepared>
{
    auto saved = read_plan(file);
    if (!saved) {
        code = s.tell(saved.error());
        return std::nullopt;
    }
    infra::diagnostics problems;
    prepared p;
    p.wanted = s.load_program(*saved, problems);
    check_limits(s.asked(), problems);
    code = s.tell(problems);
    if (p.wanted == nullptr || code != 0) {
        code = code == 0 ? 1 : code;
        return std::nullopt;
    }
    p.plan = std::move(*saved);
    p.wanted->results().read(p.plan.checks);
    return p;
}

}  // namespace iacctl::commands
