// SPDX-License-Identifier: BSL-1.0
#include "live_display.hpp"

#include "base/formatted.hpp"
#include "base/unicode.hpp"

#include <algorithm>
#include <ostream>
#include <system_error>
#include <utility>

namespace iacctl::views {

namespace {

// A terminal that supports this mode displays all output between the two sequences at once. Other terminals ignore
// them.
constexpr std::string_view begin_update = "\033[?2026h";
constexpr std::string_view end_update = "\033[?2026l";
constexpr std::string_view erase_below = "\033[J";

// The number of columns of a line, without escape sequences.
auto width_of(std::string_view line) -> std::size_t
{
    std::string shown;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\033')
            while (i < line.size() && line[i] != 'm') ++i;
        else shown += line[i];
    }
    return column_count(shown);
}

}  // namespace

live_display::live_display(std::ostream& to, options o)
    : to_(to),
      with_(std::move(o)),
      paint_(with_.colour),
      begun_(run_status::clock::now()),
      status_(with_.planned, begun_)
{
    try {
        thread_ = std::thread([this] { run(); });
    } catch (std::system_error const&) {  // without a thread, callers write
    }
}

live_display::~live_display()
{
    {
        std::lock_guard const lock(mutex_);
        ends_ = true;
    }
    end_.notify_all();
    if (thread_.joinable()) thread_.join();
    update(false);
}

void live_display::print(std::string_view line)
{
    if (line.empty()) return;
    std::lock_guard const lock(mutex_);
    log_ += line;
    if (!line.ends_with('\n')) log_ += '\n';
    if (!thread_.joinable()) update(true);
}

void live_display::flush()
{
    std::lock_guard const lock(mutex_);
    update(true);
}

void live_display::started(infra::operation_kind kind, std::string name)
{
    std::lock_guard const lock(mutex_);
    status_.started(kind, std::move(name), run_status::clock::now());
}

void live_display::ended(infra::operation_kind kind, std::string const& name, bool failed)
{
    std::lock_guard const lock(mutex_);
    status_.ended(kind, name, failed);
}

auto live_display::most_running() -> std::size_t
{
    std::lock_guard const lock(mutex_);
    return status_.most_running();
}

// Erases the lines, writes the log, and draws the lines again. Lines that were drawn in a wider terminal take several rows in a
// narrower one.
void live_display::update(bool draws)
{
    auto const now = run_status::clock::now();
    auto const size = with_.size();
    bool const begins = now - begun_ >= with_.delay && !status_.is_idle();
    draws = draws && (begins || !drawn_.empty());
    if (drawn_.empty() && !draws) {
        if (!log_.empty()) to_ << log_ << std::flush;
        log_.clear();
        return;
    }
    std::string out(begin_update);
    std::size_t rows = 0;
    for (std::size_t const width : drawn_)
        rows += std::max<std::size_t>(1, (width + size.columns - 1) / std::max<std::size_t>(size.columns, 1));
    if (rows > 0) out += formatted("\033[{}F", rows);
    out += erase_below;
    out += log_;
    log_.clear();
    drawn_.clear();
    if (draws)
        for (std::string const& line : status_.lines(now, size, paint_, with_.left ? with_.left() : std::nullopt)) {
            out += line;
            out += '\n';
            drawn_.push_back(width_of(line));
        }
    out += end_update;
    to_ << out << std::flush;
}

void live_display::run()
{
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, with_.period, [this] { return ends_; }))
        if (!status_.is_idle() || !drawn_.empty() || !log_.empty()) update(true);
}

}  // namespace iacctl::views
