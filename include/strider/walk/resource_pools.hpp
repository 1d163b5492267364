// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_RESOURCE_POOLS_HPP
#define STRIDER_WALK_RESOURCE_POOLS_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/clock.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/resource_limits.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// A pool of a limited resource: at most `capacity` of its vertices are visited at once.
struct resource_pool {
    /// A capacity without a limit.
    static constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

    /// Identifies the pool: vertices with the same id share its capacity.
    std::uint64_t id = 0;
    std::uint32_t capacity = unlimited;  ///< 0 means 1
};

/// A function that returns the pool of each vertex.
template <class F>
concept pool_policy = std::copy_constructible<F> && requires(F& pool_of, vertex_id v) {
    { std::invoke(pool_of, v) } -> std::convertible_to<resource_pool>;
};

/// A function that returns the request of each vertex: a `resource_request`, or a range of them, such as a vector.
template <class F>
concept request_policy = std::copy_constructible<F>
    && (requires(F& request_of, vertex_id v) {
           { std::invoke(request_of, v) } -> std::convertible_to<resource_request>;
       } || requires(F& request_of, vertex_id v) {
           requires std::ranges::input_range<std::invoke_result_t<F&, vertex_id>>;
           requires std::convertible_to<std::ranges::range_reference_t<std::invoke_result_t<F&, vertex_id>>,
               resource_request>;
       });

/// A ready queue that wraps another one and limits the use of resources, like the pools of ninja.
///
/// - `resource_pools(pool_of, queue)`: a vertex takes one place of the pool that `pool_of` returns, with its capacity. Each walk
///   has its own pools. A vertex with an unlimited capacity belongs to no pool.
/// - `resource_pools(limits, request_of, queue)`: a vertex takes the units that `request_of` returns, of the resources of
///   `limits`. All walks with copies of `limits` share them, and their capacities may change while the walks run.
///
/// A vertex takes all of its units together when it is popped, and returns them when it is settled: no vertex holds units while
/// it waits for others, so walks cannot deadlock. A vertex that must wait blocks no thread. The limit of the whole walk applies
/// as well. The function is called once for each vertex.
///
/// Among the vertices whose units are available, the one that `queue` prefers starts next. A request that is passed over waits in
/// the line of its limits, which reserves its units: no request that came later, of this walk or another one, takes them. So small
/// requests do not starve a large one. Equal requests of one walk have one place in the line, which the vertex that `queue`
/// prefers among them uses. With `fifo`, a vertex that was passed over may start after one that became ready later.
///
/// \complexity O(n) per operation, where n is the number of different requests that wait, and that of `queue`
template <class RequestOf, class Queue = ascending_id>
class resource_pools {
    static constexpr bool has_own_pools = pool_policy<RequestOf>;
    static_assert(has_own_pools || request_policy<RequestOf>,
        "the function of resource_pools is copyable and called as pool_of(vertex_id) -> resource_pool, or with "
        "resource_limits as request_of(vertex_id) -> resource_request, or a range of them");
    static_assert(ready_queue_policy<Queue>, "resource_pools wraps a ready queue, such as ascending_id or fifo");

    // The vertices with equal requests.
    struct vertex_class {
        detail::request_set const* units;
        Queue waiting;  // those that are not in the common queue
        std::size_t candidates = 0;  // those in the common queue

        [[nodiscard]] auto ready() const -> std::size_t { return candidates + waiting.size(); }
    };
    static constexpr std::uint32_t no_class = std::numeric_limits<std::uint32_t>::max();

public:
    /// The timer that ends a wait for other walks at the timeout of the walk.
    using timer_type = asio::steady_timer;

    /// A queue with pools of its own.
    explicit resource_pools(RequestOf pool_of, Queue queue = {})
        requires(!request_policy<RequestOf> && !std::same_as<RequestOf, resource_limits>) || pool_policy<RequestOf>
        : request_of_(std::move(pool_of)),
          empty_(queue),
          common_(std::move(queue))
    {}
    /// Deleted: requests are of resources of limits.
    explicit resource_pools(RequestOf, Queue = {})  // requests need limits: resource_pools(limits, request_of)
        requires(!pool_policy<RequestOf> && request_policy<RequestOf>)
    = delete;
    /// A queue with shared limits.
    resource_pools(resource_limits limits, RequestOf request_of, Queue queue = {})
        requires request_policy<RequestOf>
        : request_of_(std::move(request_of)),
          limits_(std::move(limits)),
          empty_(queue),
          common_(std::move(queue))
    {}

    /// Copies the function, the limits and the wrapped queue, without vertices: the copy begins with `reset`.
    /// @{
    resource_pools(resource_pools const& other)
        : request_of_(other.request_of_),
          limits_(has_own_pools ? resource_limits() : other.limits_),
          empty_(other.empty_),
          common_(other.empty_)
    {}
    auto operator=(resource_pools const& other) -> resource_pools&
        requires std::is_move_assignable_v<RequestOf> && std::is_move_assignable_v<Queue>
    {
        return *this = resource_pools(other);
    }
    /// @}
    /// Moves the pools with their vertices.
    resource_pools(resource_pools&&) = default;
    /// As above.
    auto operator=(resource_pools&&) -> resource_pools& = default;
    ~resource_pools() = default;

    /// Removes all vertices before a walk. A copy of this queue that is in use is not affected.
    void reset(std::size_t id_bound)
    {
        if constexpr (has_own_pools) limits_ = resource_limits();
        classes_.clear();
        numbers_.clear();
        account_ = std::make_shared<detail::resource_account>(limits_.state_);
        class_of_vertex_.assign(id_bound, no_class);
        free_ready_ = 0;
        is_limited_ = true;
        empty_.reset(id_bound);
        common_.reset(id_bound);
    }
    /// Prepares for ids below a larger bound, because the graph has grown.
    void resize(std::size_t id_bound)
        requires growing_queue_policy<Queue>
    {
        for (vertex_class& each : classes_) each.waiting.resize(id_bound);
        class_of_vertex_.resize(id_bound, no_class);
        empty_.resize(id_bound);
        common_.resize(id_bound);
    }
    /// Sets a function that is called on any thread when a vertex that waits may have become available because another walk
    /// returned units, or a capacity changed.
    template <class F>
    void set_waker(F wake)
    {
        account_->set_waker(std::move(wake));
    }
    /// Adds a vertex that is ready.
    /// \throws std::invalid_argument if its pool has another capacity for another vertex, or if it requests an unknown resource or
    /// more units than the capacity
    void push(vertex_id v)
    {
        std::uint32_t const number = class_of(std::invoke(request_of_, v));
        class_of_vertex_[v.index()] = number;
        if (number == no_class) {
            common_.push(v);
            ++free_ready_;
            return;
        }
        vertex_class& its = classes_[number];
        bool const is_available = account_->add(*its.units);
        if (is_available || its.candidates != 0) {
            ++its.candidates;
            common_.push(v);
        } else {
            its.waiting.push(v);
            account_->wait(*its.units);
        }
    }
    /// Removes and returns the preferred vertex among those whose units are available. Returns none if there is none, because
    /// another walk has taken the units since `size()` was called, or because they are reserved.
    /// \throws std::invalid_argument if a capacity was lowered below the request of a vertex
    [[nodiscard]] auto pop() -> vertex_id
    {
        admit_waiting();
        vertex_id const v = pop_candidate();
        if (is_limited_ && number_available() == 0)
            while (common_.size() != 0) pass_over(common_.pop());
        return v;
    }
    /// Returns the units of the visit of `v`.
    void settled(vertex_id v)
    {
        std::uint32_t const number = std::exchange(class_of_vertex_[v.index()], no_class);
        if (number != no_class) account_->give_back(*classes_[number].units);
    }
    /// An upper bound of the number of vertices whose units are available; 0 only if there is none.
    [[nodiscard]] auto size() const -> std::size_t
    {
        std::size_t const available = number_available();
        // Candidates whose units another walk has taken: `pop` makes their requests wait in the line.
        return available == 0 && common_.size() != 0 ? 1 : available;
    }
    /// The number of vertices in the queue, with those that wait for units.
    [[nodiscard]] auto waiting() const -> std::size_t
    {
        std::size_t sum = free_ready_;
        for (vertex_class const& each : classes_) sum += each.ready();
        return sum;
    }
    /// Makes all vertices in the queue available without units. Called before a walk that is to stop pops what it does not visit.
    void drop_limits()
    {
        account_->stop_waiting();
        is_limited_ = false;
        for (vertex_class& each : classes_)
            while (each.waiting.size() != 0) {
                common_.push(each.waiting.pop());
                ++each.candidates;
            }
    }

private:
    [[nodiscard]] auto number_available() const -> std::size_t
    {
        std::size_t sum = free_ready_;
        for (vertex_class const& each : classes_) {
            if (each.ready() == 0) continue;
            if (!is_limited_) sum += each.ready();
            else sum += std::min<std::uint64_t>(each.ready(), account_->available(*each.units));
        }
        return sum;
    }
    // For each request that is available now, the preferred vertex that waits becomes a candidate.
    void admit_waiting()
    {
        if (!is_limited_) return;
        for (vertex_class& each : classes_)
            if (each.waiting.size() != 0 && account_->available(*each.units) != 0) {
                common_.push(each.waiting.pop());
                ++each.candidates;
            }
    }
    [[nodiscard]] auto pop_candidate() -> vertex_id
    {
        while (common_.size() != 0) {
            vertex_id const v = common_.pop();
            std::uint32_t const number = class_of_vertex_[v.index()];
            if (number == no_class) {
                --free_ready_;
                return v;
            }
            vertex_class& its = classes_[number];
            --its.candidates;
            if (!is_limited_) {
                class_of_vertex_[v.index()] = no_class;
                return v;
            }
            if (account_->take_or_wait(*its.units)) {
                if (its.waiting.size() != 0) account_->wait(*its.units);
                return v;
            }
            its.waiting.push(v);
        }
        return {};
    }
    // \pre the units of `v` are not available
    void pass_over(vertex_id v)
    {
        vertex_class& its = classes_[class_of_vertex_[v.index()]];
        --its.candidates;
        its.waiting.push(v);
        account_->wait(*its.units);
    }

    [[nodiscard]] auto class_of(resource_pool const& given) -> std::uint32_t
    {
        if (given.capacity == resource_pool::unlimited) return no_class;
        std::uint32_t const capacity = std::max<std::uint32_t>(given.capacity, 1);
        request_.assign({{limits_.state_->index_with_capacity(given.id, capacity), 1}});
        return class_of_request();
    }
    [[nodiscard]] auto class_of(resource_request const& given) -> std::uint32_t
    {
        request_.clear();
        add_to_request(given);
        return class_of_request();
    }
    template <class Requests>
        requires std::ranges::input_range<Requests>
    [[nodiscard]] auto class_of(Requests&& given) -> std::uint32_t
    {
        request_.clear();
        for (resource_request const& each : given) add_to_request(each);
        std::ranges::sort(request_);
        return class_of_request();
    }
    void add_to_request(resource_request const& given)
    {
        if (given.units == 0) return;
        std::uint32_t const resource = limits_.state_->index_of(given.resource);
        auto const known = std::ranges::find(request_, resource, &detail::indexed_request::resource);
        if (known == request_.end()) return request_.push_back({resource, given.units});
        known->units += std::min(given.units, std::numeric_limits<std::uint32_t>::max() - known->units);
    }
    [[nodiscard]] auto class_of_request() -> std::uint32_t
    {
        if (request_.empty()) return no_class;
        if (auto const known = numbers_.find(request_); known != numbers_.end()) return known->second;
        auto const number = static_cast<std::uint32_t>(classes_.size());
        auto const added = numbers_.emplace(request_, number).first;
        classes_.push_back({.units = &added->first, .waiting = empty_});
        return number;
    }

    RequestOf request_of_;
    resource_limits limits_;
    Queue empty_;
    Queue common_;  // vertices without a request, and candidates
    std::vector<vertex_class> classes_;
    std::map<detail::request_set, std::uint32_t> numbers_;  // of classes, by their units
    detail::request_set request_;  // of the vertex that is pushed
    std::vector<std::uint32_t> class_of_vertex_;  // no class after the units are returned
    std::size_t free_ready_ = 0;  // vertices without a request
    bool is_limited_ = true;
    std::shared_ptr<detail::resource_account> account_;  // of the walk; destroyed first
};

/// Deduces the types from the arguments.
/// @{
template <class RequestOf, class Queue = ascending_id>
    requires(!std::same_as<RequestOf, resource_limits>)
resource_pools(RequestOf, Queue = {}) -> resource_pools<RequestOf, Queue>;
template <class RequestOf, class Queue = ascending_id>
resource_pools(resource_limits, RequestOf, Queue = {}) -> resource_pools<RequestOf, Queue>;
/// @}

}  // namespace strider

#endif  // STRIDER_WALK_RESOURCE_POOLS_HPP
