// SPDX-License-Identifier: BSL-1.0
// The whole library without run-time type information: a walk still finds the message of an exception that a visit threw.
#include <strider/algorithm.hpp>
#include <strider/core.hpp>
#include <strider/infra.hpp>
#include <strider/lifecycle.hpp>
#include <strider/remote.hpp>
#include <strider/sim.hpp>
#include <strider/transform.hpp>
#include <strider/walk.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <stdexcept>
#include <string>

namespace {

struct refuse_database {
    void operator()(strider::vertex_id, std::string const& name) const
    {
        if (name == "database") throw std::runtime_error("no disk");
    }
};

struct refuse_database_later {
    auto operator()(strider::vertex_id v, std::string const& name) const -> boost::asio::awaitable<void>
    {
        refuse_database{}(v, name);
        co_return;
    }
};

struct refuse_database_by_handle {
    void operator()(strider::vertex_id v, std::string const& name, strider::visit_handle done) const
    {
        refuse_database{}(v, name);
        done();
    }
};

auto is_right(strider::walk_report const& report) -> bool
{
    auto const causes = report.root_causes();
    return causes.size() == 1 && report[causes.front()].message() == "no disk" && report.skipped() == 1;
}

}  // namespace

int main()
{
    strider::digraph<std::string> draft;
    auto const service = draft.add_vertex("service");
    draft.add_edge(service, depends_on(draft.add_vertex("database")));
    auto const stages = strider::transitive_reduction{} | strider::cycle_validation{};
    auto const graph = strider::freeze(stages(draft).value()).value();

    boost::asio::thread_pool pool(2);
    strider::walker frame(pool, graph, refuse_database{});
    auto const all_are_right = [&](auto executor) {
        return is_right(strider::walk(executor, graph, refuse_database{}))
            && is_right(strider::walk(executor, graph, refuse_database_later{}))
            && is_right(strider::walk(executor, graph, refuse_database_by_handle{}));
    };
    return all_are_right(pool.get_executor()) && all_are_right(boost::asio::make_strand(pool)) && is_right(frame.run())
        ? 0
        : 1;
}
