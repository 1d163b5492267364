// SPDX-License-Identifier: BSL-1.0
#include "diagnostic_text.hpp"

#include "base/formatted.hpp"
#include "base/shown_text.hpp"
#include "language/syntax/diagnostic.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::views {

namespace {

// The plain text of a diagnostic with a bar at its left, the first line in bold.
[[nodiscard]] auto boxed(std::string_view plain, bool error) -> std::string
{
    painter const paint(true);
    auto const with = error ? text_style::red : text_style::yellow;
    plain.remove_prefix(std::min(plain.find_first_not_of('\n'), plain.size()));
    plain = plain.substr(0, plain.find_last_not_of('\n') + 1);
    auto const bar = paint(with, "│");
    auto out = paint(with, "╷") + '\n';
    for (std::size_t at = 0; at <= plain.size();) {
        auto const end = std::min(plain.find('\n', at), plain.size());
        auto const line = plain.substr(at, end - at);
        auto const colon = line.find(": ");
        if (at == 0 && colon != std::string_view::npos)
            out += formatted("{} {}{}\n", bar,
                paint(error ? text_style::bold_red : text_style::yellow, line.substr(0, colon + 2)),
                paint(text_style::bold, line.substr(colon + 2)));
        else out += formatted("{} {}\n", bar, line);
        at = end + 1;
    }
    return out + paint(with, "╵") + '\n';
}

}  // namespace

auto diagnostic_text(infra::diagnostic const& problem, text_options const& options) -> std::string
{
    if (!options.colour) return shown_text(language::render(problem, options.width));
    // The bar and a space take two columns.
    auto const width = options.width > 2 ? options.width - 2 : options.width;
    return boxed(shown_text(language::render(problem, width)), problem.level == infra::severity::error);
}

auto consolidated(infra::diagnostics const& problems, consolidated_levels levels) -> infra::diagnostics
{
    // Results of checks and policies are not merged, except warnings that an error message refers to hidden values.
    auto const groups = [levels](infra::diagnostic const& problem) {
        bool const warning = problem.level == infra::severity::warning;
        bool const of_check =
            problem.source.context.starts_with("check ") && !problem.summary.starts_with("Error message refers to ");
        bool const of_policy = problem.source.context.starts_with("policy ");
        return (warning ? levels.warnings : levels.errors) && problem.source && !of_check && !of_policy;
    };
    std::map<std::pair<infra::severity, std::string>, std::size_t> counts;
    for (auto const& one : problems)
        if (groups(one)) ++counts[{one.level, one.summary}];
    // References to the same undeclared name have one cause, and one error names their places.
    auto const shares_cause = [levels](infra::diagnostic const& problem) {
        return problem.level == infra::severity::error && !levels.errors && problem.source
            && problem.code.starts_with("undeclared_");
    };
    std::map<std::string_view, std::string> places;  // of the other references, by detail
    for (auto const& one : problems) {
        if (!shares_cause(one)) continue;
        auto const [at, is_first] = places.try_emplace(one.detail);
        if (is_first) continue;
        at->second += formatted("\n  {} line {}", one.source.file, one.source.line);
        if (!one.source.context.empty()) at->second += ", in " + one.source.context;
    }
    infra::diagnostics kept;
    for (auto const& one : problems) {
        auto const count = groups(one) ? std::exchange(counts[{one.level, one.summary}], 0) : 1;
        if (count == 0) continue;
        auto shown = one;
        if (shares_cause(one)) {
            auto const others = places.extract(one.detail);
            if (others.empty()) continue;
            if (!others.mapped().empty()) shown.detail += "\n\nOther references to it:" + others.mapped();
        }
        if (count > 1) {
            if (!shown.detail.empty()) shown.detail += "\n\n";
            std::string_view const kind = one.level == infra::severity::warning ? "warning" : "error";
            shown.detail += count == 2 ? formatted("(one more {} like this elsewhere)", kind)
                                       : formatted("({} more {}s like this elsewhere)", count - 1, kind);
        }
        kept.add(std::move(shown));
    }
    return kept;
}

auto diagnostics_text(infra::diagnostics const& problems, text_options const& options) -> std::string
{
    std::string out;
    for (auto const level : {infra::severity::warning, infra::severity::error})
        for (auto const& one : problems)
            if (one.level == level) out += diagnostic_text(one, options);
    return out;
}

auto compact_diagnostics_text(infra::diagnostics const& problems, text_options const& options) -> std::string
{
    if (problems.has_errors() || problems.empty()) return diagnostics_text(problems, options);
    painter const paint(options.colour);
    auto out = "\n" + paint(text_style::yellow, "Warnings:") + "\n\n";
    for (auto const& one : problems) {
        out += formatted("- {}\n", shown_text(one.summary));
        if (one.source) out += formatted("  on {} line {}\n", shown_text(one.source.file), one.source.line);
    }
    return out + "\nWithout -compact-warnings, iacctl shows them in full.\n";
}

}  // namespace iacctl::views
