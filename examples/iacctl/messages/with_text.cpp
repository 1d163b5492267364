// SPDX-License-Identifier: BSL-1.0
#include "with_text.hpp"

#include "base/shell_words.hpp"
#include "catalogue.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::messages {

namespace {

namespace codes = strider::infra::codes;

struct item_pattern {
    infra::diagnostic_code code;
    std::string_view line;
    bool is_option = false;  // of a command that users copy to a shell
};

// The line for an item in the list of a code of the engine.
constexpr std::array item_patterns{
    item_pattern{codes::blocked_moves, "  - {0} → {1}"},
    item_pattern{codes::dependency_cycle, "  {0} -> {1} ({2})"},
    item_pattern{codes::move_cycle, "  - {0}: {1} → {2}"},
    item_pattern{codes::moved_objects_excluded, "  -exclude={0}", true},
    item_pattern{codes::moved_objects_not_targeted, "  -target={0}", true},
};

using fields = std::span<std::string_view const>;

auto item_lines(infra::diagnostic_code const& code, fields rest) -> std::string
{
    auto const of_code =
        std::ranges::find(item_patterns, code.name, [](auto const& element) { return element.code.name; });
    std::string lines;
    for (; !rest.empty(); rest = rest.subspan(code.item_fields)) {
        if (!lines.empty()) lines += '\n';
        auto const item = rest.first(code.item_fields);
        if (!of_code->is_option) {
            lines += messages::filled(of_code->line, item);
            continue;
        }
        std::string const word = shell_word(item.front());
        lines += messages::filled(of_code->line, std::array{std::string_view(word)});
    }
    return lines;
}

}  // namespace

auto with_text(infra::diagnostic problem) -> infra::diagnostic
{
    if (!problem.summary.empty() || problem.code.empty()) return problem;
    auto const* const message = messages::find_message(problem.code);
    if (message == nullptr) {
        problem.summary = problem.code;
        return problem;
    }
    std::vector<std::string_view> with(problem.arguments.begin(), problem.arguments.end());
    std::string list;
    if (auto const* const code = infra::find_code(problem.code); code != nullptr && code->item_fields != 0) {
        list = item_lines(*code, fields(with).subspan(code->arguments));
        with.resize(code->arguments);
        with.emplace_back(list);
    }
    problem.summary = messages::filled(message->summary, with);
    problem.detail = messages::filled(message->detail, with);
    return problem;
}

auto with_text(infra::diagnostics problems) -> infra::diagnostics
{
    problems.update([](infra::diagnostic& problem) { problem = with_text(std::move(problem)); });
    return problems;
}

}  // namespace iacctl::messages
