// SPDX-License-Identifier: BSL-1.0
#include "run_status.hpp"

#include "base/formatted.hpp"
#include "base/unicode.hpp"
#include "progress.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <tuple>

namespace iacctl::views {

namespace {

using infra::operation_kind;

auto sum(run_status::counts const& c) -> std::size_t
{
    return std::accumulate(c.begin(), c.end(), std::size_t{0});
}

auto seconds_of(run_status::clock::duration d) -> std::chrono::seconds
{
    return std::chrono::duration_cast<std::chrono::seconds>(d);
}

auto verb_of(operation_kind kind) -> std::string_view
{
    switch (kind) {
    case operation_kind::create: return "creating";
    case operation_kind::read: return "reading";
    case operation_kind::update: return "modifying";
    case operation_kind::destroy: return "destroying";
    case operation_kind::invoke: break;  // the status counts operations on objects
    }
    return {};
}

auto symbol_of(operation_kind kind, painter const& paint) -> std::string
{
    switch (kind) {
    case operation_kind::create: return paint(text_style::green, "+ ");
    case operation_kind::read: return paint(text_style::cyan, "<=");
    case operation_kind::update: return paint(text_style::yellow, "~ ");
    case operation_kind::destroy: return paint(text_style::red, "- ");
    case operation_kind::invoke: break;
    }
    return {};
}

// The number of characters of a range that fit in columns of a terminal.
template <class Characters>
auto count_that_fits(Characters const& all, std::size_t columns) -> std::size_t
{
    std::size_t count = 0;
    std::size_t taken = 0;
    for (std::string_view const one : all) {
        taken += column_count(one);
        if (taken > columns) break;
        ++count;
    }
    return count;
}

// Shortens a text to a number of columns. Both ends are kept, the end more than the beginning, because it distinguishes
// addresses better.
auto fitted(std::string const& text, std::size_t columns) -> std::string
{
    if (column_count(text) <= columns) return text;
    if (columns < 3) return std::string(columns, '.');
    auto const all = graphemes(text);
    std::size_t const kept = columns - 2;
    std::size_t const first = kept / 3;
    std::string shortened;
    auto const begin = count_that_fits(all, first);
    for (std::size_t i = 0; i < begin; ++i) shortened += all[i];
    shortened += "..";
    auto const last = count_that_fits(all | std::views::reverse, kept - first);
    for (std::size_t i = all.size() - last; i < all.size(); ++i) shortened += all[i];
    return shortened;
}

constexpr std::size_t bar_width = 24;

auto bar(std::size_t ended, std::size_t all) -> std::string
{
    std::size_t const full = all == 0 ? 0 : std::min(bar_width, ended * bar_width / all);
    return '[' + std::string(full, '=') + std::string(bar_width - full, ' ') + ']';
}

}  // namespace

void run_status::started(operation_kind kind, std::string name, clock::time_point now)
{
    running_.insert_or_assign({kind, std::move(name)}, now);
    most_running_ = std::max(most_running_, running_.size());
}

void run_status::ended(operation_kind kind, std::string const& name, bool failed)
{
    running_.erase({kind, name});
    ++ended_[static_cast<std::size_t>(kind)];
    if (failed) ++failed_;
}

auto run_status::headline(clock::time_point now, std::size_t columns, std::optional<std::chrono::seconds> left) const
    -> std::string
{
    std::size_t const all = sum(planned_);
    std::string text = all == 0 ? formatted("{} done", sum(ended_)) : formatted("{} of {}", sum(ended_), all);
    text += formatted(", {} running", running_.size());
    if (failed_ > 0) text += formatted(", {} failed", failed_);
    text += formatted(", {} elapsed", duration_text(seconds_of(now - begun_)));
    if (left && left->count() > 0) text += formatted(", about {} left", duration_text(*left));
    bool const has_bar = all != 0 && bar_width + 3 + text.size() < columns;
    return has_bar ? bar(sum(ended_), all) + ' ' + text : fitted(text, columns - 1);
}

auto run_status::counters() const -> std::string
{
    std::string text;
    for (std::size_t i = 0; i < planned_.size(); ++i)
        if (planned_[i] > 0)
            text += formatted("{}{} {}/{}", text.empty() ? "" : ", ", to_string(static_cast<operation_kind>(i)),
                ended_[i], planned_[i]);
    return text;
}

auto run_status::lines(clock::time_point now, terminal_size size, painter const& paint,
    std::optional<std::chrono::seconds> left) const -> std::vector<std::string>
{
    std::size_t const columns = std::max<std::size_t>(size.columns, 20);
    std::size_t const most = std::max<std::size_t>(size.rows / 2, 3);
    std::vector<std::string> all{paint(text_style::bold, headline(now, columns, left))};
    if (auto const by_kind = counters(); by_kind.find(',') != std::string::npos && by_kind.size() < columns)
        all.push_back(by_kind);

    std::vector<decltype(running_)::const_pointer> oldest;
    oldest.reserve(running_.size());
    for (auto const& one : running_) oldest.push_back(&one);
    std::size_t const room = most - all.size();
    std::size_t const shown = oldest.size() <= room ? oldest.size() : room - 1;
    std::ranges::partial_sort(oldest, oldest.begin() + static_cast<std::ptrdiff_t>(shown),
        [](auto const* a, auto const* b) { return std::tie(a->second, a->first) < std::tie(b->second, b->first); });
    for (std::size_t i = 0; i < shown; ++i) {
        auto const& [kind, name] = oldest[i]->first;
        std::string const elapsed = duration_text(seconds_of(now - oldest[i]->second));
        std::string const before = formatted("{} {:>7}  ", padded(verb_of(kind), 10), elapsed);
        constexpr std::size_t symbol_width = 5;  // including the spaces around it
        std::size_t const taken = symbol_width + before.size() + 1;
        all.push_back(
            formatted("  {} {}{}", symbol_of(kind, paint), before, fitted(name, columns - std::min(columns, taken))));
    }
    if (shown < oldest.size()) all.push_back(formatted("  ... and {} more", oldest.size() - shown));
    return all;
}

}  // namespace iacctl::views
