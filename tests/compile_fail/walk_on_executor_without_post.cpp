// SPDX-License-Identifier: BSL-1.0
// expect: a walk posts functions: asio::require(executor, execution::blocking.never) must be valid for its executor
#include <strider/core.hpp>
#include <strider/walk.hpp>

struct inline_only {
    template <class F>
    void execute(F f) const
    {
        f();
    }
    auto operator==(inline_only const&) const noexcept -> bool = default;
};

void visit_all(strider::dag<int> const& graph)
{
    strider::async_walk(
        inline_only(), graph, [](strider::vertex_id, int) {}, {}, [](strider::error_code, strider::walk_report) {});
}
