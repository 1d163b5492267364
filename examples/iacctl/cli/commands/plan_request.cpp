// SPDX-License-Identifier: BSL-1.0
#include "plan_request.hpp"

#include "base/go_quoted.hpp"
#include "base/input_file.hpp"
#include "base/suggestion.hpp"
#include "base/trimmed.hpp"
#include "cli/arguments/addresses.hpp"
#include "configuration_json.hpp"
#include "interrupts.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "views.hpp"
#include "views/plan_json.hpp"

#include <strider/infra/model/selection.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// Reads the addresses in a file, one on each line.
void read_addresses(std::string const& file, std::vector<infra::address>& to, infra::diagnostics& problems)
{
    auto const text = read_input(file, input_kind::file_or_pipe);
    if (!text) return problems.add(make_error(messages::unreadable_file, {file, text.error().message()}));
    std::uint32_t number = 0;
    for (std::size_t at = 0; at < text->size();) {
        auto const end = std::min(text->find('\n', at), text->size());
        std::string const line = text->substr(at, end - at);
        auto const begin = std::exchange(at, end + 1);
        ++number;
        auto const written = trimmed(line);
        if (written.empty() || written.front() == '#') continue;
        auto target = read_target(std::string(written));
        if (target) to.push_back(std::move(*target));
        else {
            auto reported = target.error().why().front();
            auto const indent = static_cast<std::uint32_t>(written.data() - line.data());
            auto const behind = indent + static_cast<std::uint32_t>(written.size());
            auto const offset = static_cast<std::uint32_t>(begin);
            reported.source = {
                file, number, indent + 1, {}, line, {}, offset + indent, {number, behind + 1, offset + behind}};
            reported.source.mark = indent;
            problems.add(std::move(reported));
        }
    }
}

auto read_options(planning_options const& requested, infra::diagnostics& problems) -> infra::plan_options
{
    infra::plan_options options;
    bool const is_destroy_command = requested.named_mode == infra::plan_mode::destroy;
    if (requested.destroy || is_destroy_command) options.mode = infra::plan_mode::destroy;
    else if (requested.refresh_only || !requested.invoke.empty()) options.mode = infra::plan_mode::refresh_only;
    options.refresh = requested.refresh;
    options.minimal_refresh = requested.minimal_refresh;
    // Reports the option with the invalid address.
    auto const refuse = [&](char const* word, std::string const& text, infra::failure const& why) {
        auto reported = why.why().front();
        reported.summary = std::string("Invalid ") + word + " " + go_quoted(text);
        problems.add(std::move(reported));
    };
    auto const read_all = [&](std::vector<std::string> const& texts, char const* word,
                              std::vector<infra::address>& to) {
        for (std::string const& text : texts) {
            if (auto target = read_target(text)) to.push_back(std::move(*target));
            else refuse(word, text, target.error());
        }
    };
    read_all(requested.targets, "target", options.targets);
    read_all(requested.excludes, "exclude", options.excludes);
    for (std::string const& file : requested.target_files) read_addresses(file, options.targets, problems);
    for (std::string const& file : requested.exclude_files) read_addresses(file, options.excludes, problems);
    bool const targets = !requested.targets.empty() || !requested.target_files.empty();
    if (targets && (!requested.excludes.empty() || !requested.exclude_files.empty()))
        problems.add(make_error(messages::target_and_exclude));
    for (std::string const& text : requested.replace) {
        auto parsed = read_instance(text);
        if (parsed && parsed->mode() == infra::resource_mode::data)
            problems.add(make_error(messages::replace_of_data_source, {go_quoted(text)}));
        else if (parsed) options.replace.push_back(std::move(*parsed));
        else refuse("force-replace address", text, parsed.error());
    }
    for (std::string const& text : requested.invoke) {
        auto parsed = infra::parse_address(text);
        if (parsed && parsed->mode() == infra::resource_mode::action) options.invoke.push_back(std::move(*parsed));
        else problems.add(make_error(messages::invoke_without_action, {go_quoted(text)}));
    }
    if (!requested.invoke.empty() && (requested.destroy || !options.excludes.empty() || !options.replace.empty()))
        problems.add(make_error(messages::invoke_with_other_options));
    if (requested.destroy && is_destroy_command) problems.add(make_error(messages::destroy_twice));
    if (requested.refresh_only && is_destroy_command) problems.add(make_error(messages::refresh_only_destroy));
    if (options.mode != infra::plan_mode::normal && requested.invoke.empty() && !options.replace.empty())
        problems.add(make_error(messages::replace_without_normal_mode));
    if (requested.refresh_only && requested.destroy) problems.add(make_error(messages::destroy_and_refresh_only));
    bool const reads_all = requested.refresh_only || !requested.invoke.empty();
    if (requested.minimal_refresh && (reads_all || !requested.refresh))
        problems.add(make_error(messages::minimal_refresh_with_other_options));
    if (requested.refresh_only && !requested.refresh) problems.add(make_error(messages::refresh_only_without_refresh));
    return options;
}

}  // namespace

void planning_options::declare(option_list& to)
{
    to.begin_group("Planning options");
    to.on("destroy", "Destroy all objects instead of creating and updating them.", destroy);
    to.on("refresh-only", "Only update state and outputs to match the present objects.", refresh_only);
    to.off("refresh", "Do not read the present objects before planning.", refresh);
    to.on("minimal-refresh",
        "Plan with the stored values, and read only the objects that this plan changes. With -destroy: read no "
        "objects.",
        minimal_refresh);
    to.on("allow-deferral",
        "Defer changes that depend on values known only after an apply, such as an unknown count, to a later plan, "
        "instead of failing.",
        defers);
    to.with_value("target", "ADDRESS",
        "Only plan this module, resource or instance, and everything it depends on. May be repeated.", targets,
        completion::address);
    to.with_value("exclude", "ADDRESS",
        "Do not plan this module, resource or instance, nor anything that depends on it. May be repeated.", excludes,
        completion::address);
    to.with_value("target-file", "FILE",
        "Read addresses for -target from FILE, one per line. Empty lines and lines that begin with # are skipped. May "
        "be repeated.",
        target_files, completion::file);
    to.with_value("exclude-file", "FILE", "Read addresses for -exclude from FILE. May be repeated.", exclude_files,
        completion::file);
    to.with_value("replace", "ADDRESS", "Replace this instance, even if it would be updated or kept. May be repeated.",
        replace, completion::address);
}

void planning_options::declare_invoke(option_list& to)
{
    to.with_value("invoke", "ADDRESS",
        "Invoke this action, and plan no changes. An address without a key selects all instances. May be repeated.",
        invoke);
}

auto read_plan_parameters(session const& s, planning_options const& options) -> or_exit<workspace::plan_parameters>
{
    infra::diagnostics problems;
    workspace::plan_parameters parameters;
    parameters.options = read_options(options, problems);
    parameters.generated = options.generated;
    parameters.defers = options.defers;
    workspace::check_limits(s.workspace().options().limits, s.providers(), problems);
    if (problems.empty()) return parameters;
    int const code = s.report(problems);
    if (!s.machine_readable()) s.err() << "\nThe options of this command:\n  iacctl " << s.runs().name << " -help\n";
    return exit_code{code};
}

auto unmatched_selections(infra::plan_options const& requested, workspace::prepared_plan const& made)
    -> infra::diagnostics
{
    infra::diagnostics reported;
    if (!infra::is_partial(requested)) return reported;
    std::vector<infra::address> known;
    for (auto const& [address, _] : made.start.resources) known.push_back(address);
    for (auto const& one : made.desired->declarations())
        if (auto const kind = made.desired->kind_of(one);
            kind == infra::declaration_kind::resource || kind == infra::declaration_kind::ephemeral)
            known.push_back(made.desired->address_of(one));
    std::vector<std::string> names;
    for (infra::address const& one : known) {
        names.push_back(to_string(one));
        if (!one.module().empty()) names.push_back(to_string(one.module()));
    }
    std::vector<std::string_view> const candidates(names.begin(), names.end());
    auto const check = [&](std::vector<infra::address> const& all, char const* option) {
        for (infra::address const& target : all) {
            if (std::ranges::any_of(known, [&](auto const& item) { return infra::is_target(target, item, true); }))
                continue;
            auto const name = target.type().empty() ? to_string(target.module()) : to_string(target);
            reported.add(
                make_warning(messages::target_matches_nothing, {option, name, did_you_mean(name, candidates)}));
        }
    };
    check(requested.targets, "-target");
    check(requested.excludes, "-exclude");
    return reported;
}

auto saved_to_show(session const& s, std::string const& file) -> or_exit<shown_plan>
{
    auto const methods = s.workspace().root().encryption();
    auto saved =
        methods ? workspace::read_plan(file, (*methods)->plan) : expected<workspace::saved_plan>(methods.error());
    if (!saved) return exit_code{s.report(saved.error())};
    infra::diagnostics problems;
    auto desired = s.workspace().load(*saved, workspace::workspace::purpose::to_show, problems);
    int const code = s.report(problems);
    if (desired != nullptr && code == 0) return shown_plan{std::move(desired), std::move(*saved)};
    return exit_code{std::max(code, 1)};
}

auto plan_to_show(session const& s, std::string const& file, planning_options const& options) -> or_exit<shown_plan>
{
    if (!file.empty()) return saved_to_show(s, file);
    auto const parameters = read_plan_parameters(s, options);
    if (!parameters) return parameters.error();
    auto planned = s.workspace().plan(*parameters);
    infra::diagnostics reported = planned.made ? std::move(planned.made->warnings) : infra::diagnostics();
    reported.add(planned.problems);
    int const code = s.report(reported);
    if (planned.ok()) return shown_plan{std::move(planned.made->desired), std::move(planned.made->plan)};
    return exit_code{planned.interrupted ? interrupted_code : code};
}

auto plan_document(session const& s, program::hcl_program const& desired, workspace::saved_plan const& saved,
    infra::diagnostics& problems) -> std::string
{
    auto view = view_of(saved, s.schemas());
    view.relevant = relevant_of(desired, saved);
    view.prior_state = view_of(saved.prior, s.schemas(), problems);
    view.configuration = configuration_json(desired);
    return views::plan_json(view);
}

}  // namespace iacctl::commands
