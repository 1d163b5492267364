// SPDX-License-Identifier: BSL-1.0
#include "run_recording.hpp"

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/digraph.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/walk_times.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace iacctl::workspace {

namespace {

using infra::event_kind;
using std::chrono::nanoseconds;
using strider::vertex_id;

auto seconds_between(nanoseconds from, nanoseconds to) -> double
{
    return std::chrono::duration<double>(to - from).count();
}

auto outcome_of(recorded_operation const& operation) -> strider::visit_outcome
{
    switch (operation.result) {
    case recorded_operation::end_type::done: return strider::visit_outcome::done();
    case recorded_operation::end_type::failed:
        return strider::visit_outcome::failure(make_error_code(std::errc::io_error));
    case recorded_operation::end_type::running: break;
    }
    return strider::visit_outcome::cancelled();
}

// The times of a walk, of which only the visits with operations were observed. All other visits are assumed to take no
// time.
class replayed_walk {
public:
    using clock_type = std::function<nanoseconds()>;

    template <class Graph, class OperationOf>
    replayed_walk(Graph const& g, OperationOf operation_of)
        : now_(std::make_shared<nanoseconds>()),
          line_([now = now_] { return *now; })
    {
        struct moment {
            nanoseconds at;
            bool ends;
            vertex_id v;
            recorded_operation const* operation;
        };
        std::vector<moment> moments;
        std::optional<nanoseconds> first;
        for (vertex_id const v : g.vertices())
            if (recorded_operation const* const one = operation_of(v); one != nullptr)
                first = std::min(first.value_or(one->start), one->start);
        begin_ = first.value_or(nanoseconds(0));
        *now_ = nanoseconds(0);
        strider::vertex_map<nanoseconds> ended(g.id_bound());
        auto const order = strider::topological_order(g);
        for (vertex_id const v : order.value()) {
            recorded_operation const* const one = operation_of(v);
            for (vertex_id const d : g.dependencies(v)) ended[v] = std::max(ended[v], ended[d]);
            if (one != nullptr) {
                moments.push_back({one->start - begin_, false, v, one});
                ended[v] = one->end - begin_;
            }
            moments.push_back({ended[v], true, v, one});
        }
        // At the same time, the end of a visit comes before the start of another visit, but after its own start.
        std::ranges::stable_sort(moments, {}, [](moment const& m) {
            bool const at_once = m.operation != nullptr && m.operation->start == m.operation->end;
            return std::pair(m.at, !m.ends ? 1 : at_once ? 2 : 0);
        });
        for (moment const& m : moments) {
            *now_ = m.at;
            if (!m.ends) line_.started(m.v, 0);
            else
                line_.settled(
                    m.v, m.operation == nullptr ? strider::visit_outcome::skipped() : outcome_of(*m.operation), 0);
        }
    }

    [[nodiscard]] auto line() const noexcept -> strider::timeline const& { return line_; }

private:
    std::shared_ptr<nanoseconds> now_;
    strider::timeline line_;
    nanoseconds begin_{};
};

// The operations of an apply by the vertices of its plan.
class operations_by_vertex {
public:
    operations_by_vertex(plan const& p, std::vector<recorded_operation> const& all) : plan_(&p)
    {
        for (recorded_operation const& one : all)
            if (!one.is_refresh)
                by_object_.insert_or_assign(
                    {to_string(one.target), one.deposed_key, one.kind == infra::operation_kind::destroy}, &one);
    }
    [[nodiscard]] auto operator()(vertex_id v) const -> recorded_operation const*
    {
        infra::node const& n = plan_->graph[v];
        bool const destroys = infra::is_destroyer(n);
        if (!destroys && n.role != infra::node_role::creator) return nullptr;
        auto const& c = plan_->changes[n.index];
        bool const has_key = destroys && (c.of_deposed || c.what == infra::action::create_then_destroy);
        auto const found = by_object_.find({to_string(c.target), has_key ? c.deposed_key : std::string(), destroys});
        return found == by_object_.end() ? nullptr : found->second;
    }

private:
    plan const* plan_;
    std::map<std::tuple<std::string, std::string, bool>, recorded_operation const*> by_object_;
};

auto title_of(recorded_operation const& operation) -> std::string
{
    return std::string(to_string(operation.kind)) + ' ' + object_name(operation.target, operation.deposed_key);
}

template <class Graph, class OperationOf>
void write_walk(std::ostream& to, Graph const& g, OperationOf operation_of)
{
    replayed_walk const walk(g, operation_of);
    auto const name_of = [&](vertex_id v) {
        auto const* const one = operation_of(v);
        return one == nullptr ? std::string() : title_of(*one);
    };
    auto const kind_of = [&](vertex_id v) {
        auto const* const one = operation_of(v);
        return std::string(one == nullptr ? "" : to_string(one->kind));
    };
    strider::write_trace_events(to, g, walk.line(), name_of, strider::without_pools(), kind_of);
}

}  // namespace

run_recording::run_recording()
    : origin_(std::chrono::steady_clock::now()),
      begin_(std::chrono::system_clock::now().time_since_epoch())
{}

auto run_recording::now() const -> nanoseconds
{
    return begin_ + (std::chrono::steady_clock::now() - origin_);
}

auto run_recording::observer(infra::observer<language::value> next) -> infra::observer<language::value>
{
    return [this, next = std::move(next)](infra::event<language::value> const& e) {
        note(e);
        if (next) next(e);
    };
}

void run_recording::note(infra::event<language::value> const& e)
{
    bool const is_refresh = e.kind == event_kind::refresh_started || e.kind == event_kind::refresh_done;
    bool const starts = e.kind == event_kind::refresh_started || e.kind == event_kind::operation_started;
    bool const failed = e.kind == event_kind::operation_failed;
    if (!starts && !failed && e.kind != event_kind::refresh_done && e.kind != event_kind::operation_done) return;
    auto const kind = is_refresh ? infra::operation_kind::read : e.operation;
    auto const at = now();
    std::lock_guard const lock(mutex_);
    key const of(kind, to_string(e.target), e.deposed_key, is_refresh);
    if (starts) {
        running_.insert_or_assign(of, all_.size());
        all_.push_back({kind, e.target, e.deposed_key, is_refresh, at, {}, {}});
    } else if (auto const found = running_.find(of); found != running_.end()) {
        recorded_operation& one = all_[found->second];
        one.end = at;
        one.result = failed ? recorded_operation::end_type::failed : recorded_operation::end_type::done;
        running_.erase(found);
    }
}

auto run_recording::operations() const -> std::vector<recorded_operation>
{
    auto const at = now();
    std::lock_guard const lock(mutex_);
    auto all = all_;
    for (auto const& [_, number] : running_) all[number].end = at;
    return all;
}

auto visits_of(plan const& p, std::vector<recorded_operation> const& all) -> recorded_apply
{
    operations_by_vertex const operation_of(p, all);
    replayed_walk const walk(p.graph, operation_of);
    auto const times = measure(p.graph, walk.line());
    recorded_apply made;
    made.seconds = seconds_between(nanoseconds(0), times.span);
    for (vertex_id const v : p.graph.vertices())
        if (auto const* const one = operation_of(v); one != nullptr)
            made.visits.push_back({v, seconds_between(nanoseconds(0), times.ready[v]),
                seconds_between(nanoseconds(0), walk.line()[v].start),
                seconds_between(nanoseconds(0), walk.line()[v].end), one->result});
    return made;
}

void write_apply_trace(std::ostream& to, plan const& p, std::vector<recorded_operation> const& all)
{
    write_walk(to, p.graph, operations_by_vertex(p, all));
}

void write_trace(std::ostream& to, std::vector<recorded_operation> const& all)
{
    strider::digraph<recorded_operation const*> draft;
    for (recorded_operation const& one : all) draft.add_vertex(&one);
    auto const g = freeze(std::move(draft)).value();
    write_walk(to, g, [&](vertex_id v) { return g[v]; });
}

}  // namespace iacctl::workspace
