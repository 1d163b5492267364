// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CLASS_LIMITS_HPP
#define STRIDER_WALK_CLASS_LIMITS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/ready_queue.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

namespace strider {

/// The class of a vertex, and how many of it may be visited at once.
struct class_limit {
    static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

    std::uint64_t of_class = 0;
    std::uint32_t limit = unlimited;  ///< 0 means 1
};

/// Says for each vertex to which class it belongs and what the limit of that class is.
template <class F>
concept limit_policy = std::copy_constructible<F> && requires(F& limit_of, vertex_id v) {
    { std::invoke(limit_of, v) } -> std::convertible_to<class_limit>;
};

/// A ready queue over another one that holds back vertices of a class of which enough are on their way.
///
/// What is held back waits in a queue of its class and blocks no thread; when one of the class is settled the next one
/// becomes available. The limit of the whole walk holds beside it.
template <limit_policy LimitOf, ready_queue_policy Queue = ascending_id>
class class_limits {
    struct vertex_class {
        Queue waiting;
        std::uint32_t under_way = 0;
    };

public:
    explicit class_limits(LimitOf limit_of, Queue queue = {})
        : limit_of_(std::move(limit_of)),
          empty_(queue),
          available_(std::move(queue))
    {}

    void reset(std::size_t id_bound)
    {
        classes_.clear();
        empty_.reset(id_bound);
        available_.reset(id_bound);
    }
    void push(vertex_id v)
    {
        class_limit const given = std::invoke(limit_of_, v);
        if (given.limit == class_limit::unlimited) return available_.push(v);
        auto at = classes_.find(given.of_class);
        if (at == classes_.end()) at = classes_.emplace(given.of_class, vertex_class{empty_}).first;
        vertex_class& its = at->second;
        if (its.under_way != 0 && its.under_way >= given.limit) return its.waiting.push(v);
        ++its.under_way;
        available_.push(v);
    }
    [[nodiscard]] auto pop() -> vertex_id { return available_.pop(); }
    void settled(vertex_id v)
    {
        class_limit const given = std::invoke(limit_of_, v);
        if (given.limit == class_limit::unlimited) return;
        vertex_class& its = classes_.find(given.of_class)->second;
        if (its.waiting.size() == 0) --its.under_way;
        else available_.push(its.waiting.pop());
    }
    [[nodiscard]] auto size() const noexcept -> std::size_t { return available_.size(); }

private:
    LimitOf limit_of_;
    Queue empty_;
    Queue available_;
    std::unordered_map<std::uint64_t, vertex_class> classes_;
};

}  // namespace strider

#endif  // STRIDER_WALK_CLASS_LIMITS_HPP
