// SPDX-License-Identifier: BSL-1.0
#include "plan_request.hpp"

#include "addresses.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

auto read_options(request const& asked, infra::diagnostics& problems) -> infra::plan_options
{
    infra::plan_options options;
    if (asked.destroy || asked.command == "destroy") options.mode = infra::plan_mode::destroy;
    else if (asked.refresh_only) options.mode = infra::plan_mode::refresh_only;
    options.refresh = asked.refresh;
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

}  // namespace

auto read_wishes(session const& s, int& code) -> std::optional<app::plan_wishes>
{
    infra::diagnostics problems;
    app::plan_wishes wishes;
    wishes.options = read_options(s.asked(), problems);
    wishes.generated = s.asked().generated;
    app::check_limits(s.asked().limits, problems);
    if (problems.empty()) return wishes;
    code = s.tell(problems);
    if (!s.machine_readable())
        s.err() << "\nFor more help on using this command, run:\n  iacctl " << s.asked().command << " -help\n";
    return std::nullopt;
}

auto saved_to_show(session const& s, std::string const& file, int& code) -> std::optional<shown_plan>
{
    auto saved = app::read_plan(file);
    if (!saved) {
        code = s.tell(saved.error());
        return std::nullopt;
    }
    infra::diagnostics problems;
    auto wanted = s.workspace().load(*saved, app::workspace::purpose::to_show, problems);
    code = s.tell(problems);
    if (wanted != nullptr && code == 0) return shown_plan{std::move(wanted), std::move(*saved)};
    code = std::max(code, 1);
    return std::nullopt;
}

}  // namespace iacctl::commands
