// SPDX-License-Identifier: BSL-1.0
#include "simulation.hpp"

#include <strider/algorithm/critical_path.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/sim/simulate_walk.hpp>
#include <strider/walk/trace.hpp>

#include <boost/asio/system_executor.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <tuple>
#include <utility>

namespace iacctl::workspace {

namespace {

using infra::operation_kind;
using strider::vertex_id;

// The operation that a vertex carries out.
auto operation_of(plan const& p, infra::node const& n) -> std::optional<operation_kind>
{
    if (infra::is_destroyer(n))
        return infra::destroys_object(p.changes[n.index].what) ? std::optional(operation_kind::destroy) : std::nullopt;
    return n.role == infra::node_role::creator ? making_operation(p.changes[n.index].what) : std::nullopt;
}

auto expected_seconds(plan const& p, expected_durations const& durations, infra::node const& n) -> double
{
    auto const kind = operation_of(p, n);
    return kind ? durations.find(*kind, p.changes[n.index].target).value_or(0) : 0;
}

auto timed(plan const& p, expected_durations const& durations, infra::node const& n, operation_kind kind)
    -> timed_operation
{
    return {kind, to_string(p.changes[n.index].target), expected_seconds(p, durations, n)};
}

auto seconds_of(std::chrono::nanoseconds n) -> double
{
    return std::chrono::duration<double>(n).count();
}

auto end_of(strider::visit_outcome const& outcome) -> simulated_apply::end_type
{
    using end = simulated_apply::end_type;
    if (outcome.is_done()) return end::done;
    return outcome.status() == strider::visit_status::failed ? end::failed : end::skipped;
}

// Writes the visits of a walk that has ended, in the order of their times.
template <class Times>
void write_trace(std::ostream& to, plan const& p, strider::walk_report const& report, Times const& times)
{
    struct moment {
        std::chrono::nanoseconds at;
        bool ends;
        vertex_id v;
    };
    std::vector<moment> moments;
    for (vertex_id const v : p.graph.vertices())
        if (times[v].end && operation_of(p, p.graph[v])) {
            moments.push_back({times[v].start, false, v});
            moments.push_back({*times[v].end, true, v});
        }
    std::ranges::sort(moments, {}, [](moment const& m) { return std::tuple(m.at, m.ends ? 0 : 1, m.v.index()); });
    std::chrono::nanoseconds now{};
    auto const name = [&](vertex_id v) {
        infra::node const& n = p.graph[v];
        return std::string(to_string(*operation_of(p, n))) + ' ' + to_string(p.changes[n.index].target);
    };
    strider::chrome_trace trace(to, name, [&] { return now; });
    for (moment const& m : moments) {
        now = m.at;
        if (m.ends) trace.settled(m.v, report[m.v]);
        else trace.started(m.v);
    }
}

}  // namespace

auto simulated_apply::count(end_type end) const -> std::size_t
{
    return static_cast<std::size_t>(std::ranges::count(operations, end, &operation::end));
}

auto simulate(plan const& p, expected_durations const& durations, simulation_options const& options) -> simulated_apply
{
    auto const& graph = p.graph;
    auto const fails = [&](infra::node const& n) {
        return operation_of(p, n) && infra::is_any(options.failing, p.changes[n.index].target, false);
    };
    auto const visit = [&](vertex_id, infra::node const& n) {
        auto outcome =
            fails(n) ? strider::visit_outcome::failure(make_error_code(std::errc::io_error)) : strider::visit_outcome();
        return strider::sim::simulated_visit(
            std::chrono::duration<double>(expected_seconds(p, durations, n)), std::move(outcome));
    };
    auto type_of = [&](vertex_id v) -> std::string {
        return operation_of(p, graph[v]) ? std::string(p.changes[graph[v].index].target.type()) : std::string();
    };
    infra::asio_execution const execution(boost::asio::system_executor(), options.limits);  // for its options only
    auto const walked = strider::sim::simulate_async_walk(graph, visit, execution.options(type_of));

    if (options.trace != nullptr) write_trace(*options.trace, p, walked.report, walked.times);
    simulated_apply result{seconds_of(walked.duration), {}};
    for (vertex_id const v : graph.vertices())
        if (auto const kind = operation_of(p, graph[v]))
            result.operations.push_back({timed(p, durations, graph[v], *kind), seconds_of(walked.times[v].start),
                walked.times[v].end ? end_of(walked.report[v]) : simulated_apply::end_type::skipped});
    auto const key = [](simulated_apply::operation const& o) {
        return std::pair(o.end == simulated_apply::end_type::skipped, o.start + o.what.seconds);
    };
    std::ranges::stable_sort(result.operations, {}, key);
    return result;
}

auto after_crash(simulated_apply apply, std::size_t count) -> simulated_apply
{
    using end = simulated_apply::end_type;
    auto const ended_at = [](simulated_apply::operation const& o) { return o.start + o.what.seconds; };
    auto const started = apply.operations.size() - apply.count(end::skipped);
    if (count >= started) return apply;
    apply.seconds = count == 0 ? 0 : ended_at(apply.operations[count - 1]);
    for (std::size_t i = count; i < apply.operations.size(); ++i) {
        auto& one = apply.operations[i];
        bool const runs = one.end != end::skipped && one.start <= apply.seconds;
        one.end = runs ? end::running : end::not_started;
    }
    return apply;
}

auto expected_critical_path(plan const& p, expected_durations const& durations) -> std::vector<timed_operation>
{
    std::vector<timed_operation> path;
    auto const longest =
        strider::critical_path(p.graph, [&](infra::node const& n) { return expected_seconds(p, durations, n); });
    if (!longest) return path;
    for (vertex_id const v : longest->vertices)
        if (auto const kind = operation_of(p, p.graph[v])) path.push_back(timed(p, durations, p.graph[v], *kind));
    return path;
}

auto count_known(plan const& p, expected_durations const& durations) -> known_durations
{
    known_durations counts;
    for (vertex_id const v : p.graph.vertices())
        if (auto const kind = operation_of(p, p.graph[v])) {
            ++counts.operations;
            if (!durations.is_recorded(*kind, p.changes[p.graph[v].index].target)) ++counts.unknown;
        }
    return counts;
}

}  // namespace iacctl::workspace
