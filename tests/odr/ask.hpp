// SPDX-License-Identifier: BSL-1.0
// Asks the concepts whose answers depend on templates that headers could specialize. A unit includes this file many times, each time
// with new types, because a compiler stores the answer for a type.
#ifdef STRIDER_WALK_VISITOR_HPP
namespace odr {
namespace {
namespace POSITION {

using executor = boost::asio::thread_pool::executor_type;

struct graph {
    using value_type = int;
};

struct plain {
    void operator()(strider::vertex_id, int) const;
};
struct coroutine {
    auto operator()(strider::vertex_id, int) const -> boost::asio::awaitable<void>;
};
struct operation {
    template <class Handle>
    void operator()(strider::vertex_id, int, Handle) const;
};
struct number {
    auto operator()(strider::vertex_id, int) const -> int;
};

constexpr answer visitor_for[] = {
    {"a function is a visitor", strider::visitor_for<plain, graph, executor>, UNIT, HEADER},
    {"a coroutine is a visitor", strider::visitor_for<coroutine, graph, executor>, UNIT, HEADER},
    {"an operation with a handle is a visitor", strider::visitor_for<operation, graph, executor>, UNIT, HEADER},
    {"a function that returns a number is no visitor", !strider::visitor_for<number, graph, executor>, UNIT, HEADER},
};
collected const collected_visitor_for(visitor_for);

}  // namespace POSITION
}  // namespace
}  // namespace odr
#endif
#undef POSITION
#undef HEADER
