// SPDX-License-Identifier: BSL-1.0
#include "line_difference.hpp"

#include <algorithm>
#include <vector>

namespace iacctl::commands {

namespace {

struct edit {
    char sign;  // ' ', '-' or '+'
    std::string_view line;
};

auto lines_of(std::string_view text) -> std::vector<std::string_view>
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

// The shortest list of edits, by Myers' greedy algorithm. Beyond a bound, all lines are treated as different.
auto edits_of(std::vector<std::string_view> const& a, std::vector<std::string_view> const& b) -> std::vector<edit>
{
    static constexpr std::ptrdiff_t most = 2000;
    auto const n = static_cast<std::ptrdiff_t>(a.size());
    auto const m = static_cast<std::ptrdiff_t>(b.size());
    auto const bound = std::min(n + m, most);
    auto const at = [bound](std::ptrdiff_t k) { return static_cast<std::size_t>(k + bound + 1); };
    auto const line = [](std::vector<std::string_view> const& texts, std::ptrdiff_t i) {
        return texts[static_cast<std::size_t>(i)];
    };
    std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * bound + 3), 0);
    std::vector<std::vector<std::ptrdiff_t>> history;
    std::vector<edit> edits;
    for (std::ptrdiff_t d = 0; d <= bound; ++d) {
        history.push_back(reach);
        for (std::ptrdiff_t k = -d; k <= d; k += 2) {
            bool const down = k == -d || (k != d && reach[at(k - 1)] < reach[at(k + 1)]);
            auto x = down ? reach[at(k + 1)] : reach[at(k - 1)] + 1;
            auto y = x - k;
            while (x < n && y < m && line(a, x) == line(b, y)) ++x, ++y;
            reach[at(k)] = x;
            if (x < n || y < m) continue;
            for (auto depth = d; depth > 0; --depth) {
                auto const& past = history[static_cast<std::size_t>(depth)];
                auto const diagonal = x - y;
                bool const from_above =
                    diagonal == -depth || (diagonal != depth && past[at(diagonal - 1)] < past[at(diagonal + 1)]);
                auto const before = from_above ? diagonal + 1 : diagonal - 1;
                auto const start_x = past[at(before)];
                auto const start_y = start_x - before;
                while (x > start_x && y > start_y && x > 0 && y > 0 && line(a, x - 1) == line(b, y - 1)
                    && !(x - 1 < start_x || y - 1 < start_y)) {
                    edits.push_back({' ', line(a, x - 1)});
                    --x, --y;
                }
                if (from_above) edits.push_back({'+', line(b, --y)});
                else edits.push_back({'-', line(a, --x)});
            }
            while (x > 0 && y > 0) {
                edits.push_back({' ', line(a, x - 1)});
                --x, --y;
            }
            std::ranges::reverse(edits);
            return edits;
        }
    }
    for (auto const one : a) edits.push_back({'-', one});
    for (auto const one : b) edits.push_back({'+', one});
    return edits;
}

}  // namespace

auto line_difference(std::string_view before, std::string_view after, std::string_view name) -> std::string
{
    static constexpr std::size_t around = 3;
    if (before == after) return {};
    auto const edits = edits_of(lines_of(before), lines_of(after));
    std::string out = "--- old/" + std::string(name) + "\n+++ new/" + std::string(name) + "\n";
    std::size_t old_line = 1;
    std::size_t new_line = 1;
    for (std::size_t i = 0; i < edits.size();) {
        auto const change = static_cast<std::size_t>(std::find_if(edits.begin() + static_cast<std::ptrdiff_t>(i),
                                                         edits.end(), [](edit const& e) { return e.sign != ' '; })
            - edits.begin());
        if (change == edits.size()) break;
        auto const begin = std::max(i, change > around ? change - around : 0);
        auto end = change;
        for (std::size_t quiet = 0; end < edits.size() && quiet <= 2 * around; ++end)
            quiet = edits[end].sign == ' ' ? quiet + 1 : 0;
        auto last = end;
        while (last > change && edits[last - 1].sign == ' ') --last;
        end = std::min(last + around, edits.size());
        old_line += begin - i;
        new_line += begin - i;
        std::size_t old_count = 0;
        std::size_t new_count = 0;
        std::string body;
        for (auto j = begin; j < end; ++j) {
            if (edits[j].sign != '+') ++old_count;
            if (edits[j].sign != '-') ++new_count;
            body += edits[j].sign;
            body += edits[j].line;
            if (!body.ends_with('\n')) body += "\n\\ No newline at end of file\n";
        }
        auto const range = [](std::size_t line, std::size_t count) {
            return std::to_string(count == 0 ? line - 1 : line) + (count == 1 ? "" : "," + std::to_string(count));
        };
        out += "@@ -" + range(old_line, old_count) + " +" + range(new_line, new_count) + " @@\n" + body;
        old_line += old_count;
        new_line += new_count;
        i = end;
    }
    return out;
}

}  // namespace iacctl::commands
