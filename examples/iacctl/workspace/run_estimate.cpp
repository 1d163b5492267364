// SPDX-License-Identifier: BSL-1.0
#include "run_estimate.hpp"

#include <strider/algorithm/critical_path.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace iacctl::workspace {

using infra::action;
using infra::event_kind;
using infra::operation_kind;

run_estimate::run_estimate(plan const& p, recorded_durations recorded, std::uint32_t parallelism)
    : plan_(&p),
      expected_(std::move(recorded)),
      parallelism_(std::max<std::uint32_t>(parallelism, 1)),
      by_change_(p.changes.size())
{
    for (std::size_t i = 0; i < p.changes.size(); ++i) {
        auto const& c = p.changes[i];
        if (auto const kind = making_operation(c.what)) add(i, *kind);
        if (infra::destroys_object(c.what)) add(i, operation_kind::destroy);
    }
}

void run_estimate::add(std::size_t change, operation_kind kind)
{
    bool const destroys = kind == operation_kind::destroy;
    auto const& c = plan_->changes[change];
    bool const has_key = destroys && (c.of_deposed || c.what == action::create_then_destroy);
    by_event_.insert_or_assign(
        {to_string(c.target), has_key ? c.deposed_key : std::string(), destroys}, operations_.size());
    operations_.push_back({change, destroys, kind});
    by_change_[change][destroys ? 1 : 0] = operations_.size();
    ++counts_[static_cast<std::size_t>(kind)];
}

void run_estimate::note(infra::event<language::value> const& e)
{
    bool const begins = e.kind == event_kind::operation_started;
    if (!begins && e.kind != event_kind::operation_done && e.kind != event_kind::operation_failed) return;
    std::lock_guard const lock(mutex_);
    auto const found =
        by_event_.find(event_key(to_string(e.target), e.deposed_key, e.operation == operation_kind::destroy));
    if (found == by_event_.end()) return;
    operation& one = operations_[found->second];
    if (begins) {
        one.started = clock::now();
        return;
    }
    one.seconds = std::chrono::duration<double>(e.elapsed).count();
    expected_.add(one.kind, std::string(e.target.type()), *one.seconds);
}

auto run_estimate::operation_of(infra::node const& n) const -> operation const*
{
    bool const destroys = infra::is_destroyer(n);
    if ((!destroys && n.role != infra::node_role::creator) || n.index >= by_change_.size()) return nullptr;
    std::size_t const index = by_change_[n.index][destroys ? 1 : 0];
    return index == 0 ? nullptr : &operations_[index - 1];
}

auto run_estimate::left_of(operation const& o, clock::time_point now) const -> double
{
    if (o.seconds) return 0;
    double const whole = expected_.find(o.kind, plan_->changes[o.change].target).value_or(0);
    if (!o.started) return whole;
    return std::max(0.0, whole - std::chrono::duration<double>(now - *o.started).count());
}

auto run_estimate::remaining() -> std::optional<std::chrono::seconds>
{
    std::lock_guard const lock(mutex_);
    auto const now = clock::now();
    if (estimated_ && now - *estimated_ < std::chrono::seconds(1)) return last_;
    estimated_ = now;
    last_.reset();
    double work = 0;
    for (operation const& one : operations_) work += left_of(one, now);
    auto const longest = strider::critical_path(plan_->graph, [&](infra::node const& n) {
        auto const* const one = operation_of(n);
        return one == nullptr ? 0.0 : left_of(*one, now);
    });
    double const path = longest ? longest->weight : 0;
    // A time that rounds to zero is that of operations whose duration is not known, or that take longer than expected.
    auto const seconds = std::llround(std::max(path, work / parallelism_));
    if (seconds > 0) last_ = std::chrono::seconds(seconds);
    return last_;
}

auto run_estimate::times() const -> run_times
{
    std::lock_guard const lock(mutex_);
    run_times made;
    auto const timed = [&](operation const& o) {
        return timed_operation{o.kind, to_string(plan_->changes[o.change].target), o.seconds.value_or(0)};
    };
    auto const longest = strider::critical_path(plan_->graph, [&](infra::node const& n) {
        auto const* const one = operation_of(n);
        return one == nullptr ? 0.0 : one->seconds.value_or(0);
    });
    if (longest)
        for (auto const v : longest->vertices)
            if (auto const* const one = operation_of(plan_->graph[v]); one != nullptr && one->seconds)
                made.critical_path.push_back(timed(*one));
    std::vector<operation const*> ended;
    for (operation const& one : operations_)
        if (one.seconds) ended.push_back(&one);
    auto const count = std::min<std::size_t>(ended.size(), 5);
    std::ranges::partial_sort(ended, ended.begin() + static_cast<std::ptrdiff_t>(count),
        [](auto const* a, auto const* b) { return *a->seconds > *b->seconds; });
    for (std::size_t i = 0; i < count; ++i) made.slowest.push_back(timed(*ended[i]));
    return made;
}

}  // namespace iacctl::workspace
