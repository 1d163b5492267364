// SPDX-License-Identifier: BSL-1.0
#include "long_operations.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <vector>

namespace iacctl::workspace {

using infra::event_kind;

long_operations::long_operations(
    boost::asio::io_context& on, infra::observer<language::value> watch, clock::duration every)
    : on_(&on),
      watch_(std::move(watch)),
      every_(every),
      timer_(on)
{}

auto long_operations::observer() -> infra::observer<language::value>
{
    if (!watch_) return {};
    return [this](infra::event<language::value> const& e) {
        note(e);
        watch_(e);
    };
}

void long_operations::note(infra::event<language::value> const& e)
{
    bool const begins = e.kind == event_kind::operation_started;
    if (!begins && e.kind != event_kind::operation_done && e.kind != event_kind::operation_failed) return;
    std::lock_guard const lock(guard_);
    if (!begins) {
        all_.erase({e.target, e.deposed_key});
        return;
    }
    auto const now = clock::now();
    running& one = all_[{e.target, e.deposed_key}];
    one.what = e;
    one.what.kind = event_kind::operation_running;
    one.what.object = nullptr;
    if (e.object != nullptr) one.object = *e.object;
    one.begun = now;
    one.due = now + every_;
    if (std::exchange(set_, true)) return;
    boost::asio::post(*on_, [this] {
        std::lock_guard const again(guard_);
        set_timer();
    });
}

// Operations that begin later are due later than all running ones.
void long_operations::set_timer()
{
    set_ = !all_.empty();
    if (!set_) return;
    auto const first = std::ranges::min_element(all_, {}, [](auto const& item) { return item.second.due; });
    timer_.expires_at(first->second.due);
    timer_.async_wait([this](boost::system::error_code error) {
        if (!error) report();
    });
}

void long_operations::report()
{
    std::lock_guard const lock(guard_);
    auto const now = clock::now();
    for (auto& [_, one] : all_) {
        if (one.due > now) continue;
        one.what.object = one.object ? &*one.object : nullptr;
        one.what.elapsed = one.due - one.begun;
        one.due += every_;
        watch_(one.what);
    }
    set_timer();
}

}  // namespace iacctl::workspace
