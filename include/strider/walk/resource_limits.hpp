// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_RESOURCE_LIMITS_HPP
#define STRIDER_WALK_RESOURCE_LIMITS_HPP

#include <strider/version.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strider {

/// A resource, and the number of its units that visits may use at once.
struct resource_capacity {
    /// Identifies the resource.
    std::uint64_t resource = 0;
    /// The number of units. 0: no visit that uses the resource starts until `set_capacity` raises it.
    std::uint32_t units = 1;
};

/// A number of units of a resource that a visit uses.
struct resource_request {
    /// Identifies the resource.
    std::uint64_t resource = 0;
    /// The number of units; 0: none.
    std::uint32_t units = 1;
};

namespace detail {

struct limited_resource {
    std::uint64_t id;
    std::uint32_t capacity;
    std::uint64_t taken = 0;
};

// Units of the resource with an index.
struct indexed_request {
    std::uint32_t resource;
    std::uint32_t units;
    friend auto operator<=>(indexed_request const&, indexed_request const&) = default;
};
// The units that a visit takes together, by ascending resource without duplicates.
using request_set = std::vector<indexed_request>;

class resource_account;

// The units of all walks that share limits, and the requests that wait for them. Thread-safe.
//
// Requests wait in one line. A request may take its units if enough are left after those of all requests before it; a request
// that does not wait, after those of all requests in the line. So the first request waits only for visits that run.
class resource_state {
public:
    struct waiting_request {
        resource_account const* of;
        request_set const* units;
    };

    [[nodiscard]] auto index_of(std::uint64_t id) -> std::uint32_t
    {
        std::lock_guard const lock(mutex_);
        auto const found = indices_.find(id);
        if (found == indices_.end())
            throw std::invalid_argument("a vertex requests the resource " + std::to_string(id)
                + ", which has no capacity: state it in resource_limits, or by set_capacity");
        return found->second;
    }
    // \throws std::invalid_argument if the resource has another capacity
    [[nodiscard]] auto index_with_capacity(std::uint64_t id, std::uint32_t capacity) -> std::uint32_t
    {
        std::lock_guard const lock(mutex_);
        limited_resource const& known = find_or_add(id, capacity);
        if (known.capacity != capacity)
            throw std::invalid_argument("the resource pool " + std::to_string(id)
                + " has two capacities: " + std::to_string(known.capacity) + " and " + std::to_string(capacity));
        return indices_.at(id);
    }
    void set_capacity(std::uint64_t id, std::uint32_t capacity)
    {
        std::vector<std::function<void()>> wakers;
        {
            std::lock_guard const lock(mutex_);
            find_or_add(id, capacity).capacity = capacity;
            wakers = wakers_of_others(nullptr);
        }
        for (auto const& wake : wakers) wake();
    }
    template <class F>
    [[nodiscard]] auto read(std::uint64_t id, F f) -> std::uint32_t
    {
        std::lock_guard const lock(mutex_);
        auto const found = indices_.find(id);
        return found == indices_.end() ? 0 : f(resources_[found->second]);
    }

private:
    friend class resource_account;

    [[nodiscard]] auto find_or_add(std::uint64_t id, std::uint32_t capacity) -> limited_resource&
    {
        auto const [at, is_new] = indices_.try_emplace(id, static_cast<std::uint32_t>(resources_.size()));
        if (is_new) resources_.push_back({.id = id, .capacity = capacity});
        return resources_[at->second];
    }

    // The number of times that the units are available after those of the requests before.
    [[nodiscard]] auto available(resource_account const& of, request_set const& units) const -> std::uint64_t
    {
        std::uint64_t times = std::numeric_limits<std::uint64_t>::max();
        for (indexed_request const& each : units) {
            limited_resource const& resource = resources_[each.resource];
            std::uint64_t const used = resource.taken + reserved(of, units, each.resource);
            times = std::min(times, used >= resource.capacity ? 0 : (resource.capacity - used) / each.units);
        }
        return times;
    }
    [[nodiscard]] auto reserved(resource_account const& of, request_set const& units, std::uint32_t resource) const
        -> std::uint64_t
    {
        std::uint64_t sum = 0;
        for (waiting_request const& before : line_) {
            if (before.of == &of && before.units == &units) break;
            auto const found = std::ranges::find(*before.units, resource, &indexed_request::resource);
            if (found != before.units->end()) sum += found->units;
        }
        return sum;
    }
    // A request that will never be possible. A capacity of 0 is a pause.
    [[nodiscard]] auto excess(request_set const& units) const -> indexed_request const*
    {
        auto const found = std::ranges::find_if(units, [this](indexed_request const& each) {
            std::uint32_t const capacity = resources_[each.resource].capacity;
            return capacity != 0 && each.units > capacity;
        });
        return found == units.end() ? nullptr : &*found;
    }
    void check(request_set const& units) const
    {
        if (indexed_request const* const much = excess(units); much != nullptr) {
            limited_resource const& resource = resources_[much->resource];
            throw std::invalid_argument("a vertex requests " + std::to_string(much->units) + " units of the resource "
                + std::to_string(resource.id) + ", whose capacity is " + std::to_string(resource.capacity)
                + ": it could never start");
        }
    }
    [[nodiscard]] auto wakers_of_others(resource_account const* by) -> std::vector<std::function<void()>>;

    std::mutex mutex_;
    std::vector<limited_resource> resources_;
    std::unordered_map<std::uint64_t, std::uint32_t> indices_;
    std::vector<waiting_request> line_;
    std::vector<resource_account*> accounts_;
};

// The units that one walk has, and its requests that wait. Returns all of them at its end.
class resource_account {
public:
    explicit resource_account(std::shared_ptr<resource_state> of) : state_(std::move(of))
    {
        std::lock_guard const lock(state_->mutex_);
        state_->accounts_.push_back(this);
    }
    resource_account(resource_account const&) = delete;
    auto operator=(resource_account const&) -> resource_account& = delete;
    ~resource_account()
    {
        std::vector<std::function<void()>> wakers;
        {
            std::lock_guard const lock(state_->mutex_);
            std::erase(state_->accounts_, this);
            std::erase_if(state_->line_, [this](auto const& each) { return each.of == this; });
            for (std::size_t i = 0; i < taken_.size(); ++i) state_->resources_[i].taken -= taken_[i];
            wakers = state_->wakers_of_others(this);
        }
        for (auto const& wake : wakers) wake();
    }

    // `wake` is called without a lock of the account, on any thread, when units may be available for a vertex that waits.
    void set_waker(std::function<void()> wake)
    {
        std::lock_guard const lock(state_->mutex_);
        wake_ = std::move(wake);
    }
    // A vertex with these units is ready. \return true if they are available
    [[nodiscard]] auto add(request_set const& units) -> bool
    {
        std::lock_guard const lock(state_->mutex_);
        state_->check(units);
        ++waiting_;
        return state_->available(*this, units) != 0;
    }
    // Takes the units, or else puts the request at the end of the line, if it is not in the line. Its address identifies it.
    // \return true if the units are taken
    // \throws std::invalid_argument if they exceed a capacity, which was lowered
    [[nodiscard]] auto take_or_wait(request_set const& units) -> bool
    {
        std::lock_guard const lock(state_->mutex_);
        state_->check(units);
        bool const is_available = state_->available(*this, units) != 0;
        if (is_available) {
            leave_line(units);
            --waiting_;
            taken_.resize(state_->resources_.size());
            for (indexed_request const& each : units) {
                taken_[each.resource] += each.units;
                state_->resources_[each.resource].taken += each.units;
            }
        } else if (!is_in_line(units)) {
            state_->line_.push_back({this, &units});
        }
        return is_available;
    }
    void wait(request_set const& units)
    {
        std::lock_guard const lock(state_->mutex_);
        if (!is_in_line(units)) state_->line_.push_back({this, &units});
    }
    void give_back(request_set const& units)
    {
        std::vector<std::function<void()>> wakers;
        {
            std::lock_guard const lock(state_->mutex_);
            for (indexed_request const& each : units) {
                taken_[each.resource] -= each.units;
                state_->resources_[each.resource].taken -= each.units;
            }
            wakers = state_->wakers_of_others(this);
        }
        for (auto const& wake : wakers) wake();
    }
    // The number of times that the units are available; 1 if `take_or_wait` throws.
    [[nodiscard]] auto available(request_set const& units) -> std::uint64_t
    {
        std::lock_guard const lock(state_->mutex_);
        is_notified_ = false;
        return state_->excess(units) != nullptr ? 1 : state_->available(*this, units);
    }
    // No vertex waits any more.
    void stop_waiting()
    {
        std::vector<std::function<void()>> wakers;
        {
            std::lock_guard const lock(state_->mutex_);
            std::erase_if(state_->line_, [this](auto const& each) { return each.of == this; });
            waiting_ = 0;
            wakers = state_->wakers_of_others(this);
        }
        for (auto const& wake : wakers) wake();
    }

private:
    friend class resource_state;

    [[nodiscard]] auto is_in_line(request_set const& units) const -> bool
    {
        return std::ranges::any_of(
            state_->line_, [&](auto const& each) { return each.of == this && each.units == &units; });
    }
    void leave_line(request_set const& units)
    {
        std::erase_if(state_->line_, [&](auto const& each) { return each.of == this && each.units == &units; });
    }

    std::shared_ptr<resource_state> state_;
    std::vector<std::uint64_t> taken_;  // by resource
    std::size_t waiting_ = 0;  // ready vertices that have not taken their units
    bool is_notified_ = false;  // since the walk last looked
    std::function<void()> wake_;
};

inline auto resource_state::wakers_of_others(resource_account const* by) -> std::vector<std::function<void()>>
{
    std::vector<std::function<void()>> wakers;
    for (resource_account* const each : accounts_)
        if (each != by && each->waiting_ != 0 && each->wake_ && !each->is_notified_) {
            each->is_notified_ = true;
            wakers.push_back(each->wake_);
        }
    return wakers;
}

}  // namespace detail

/// Limits of resources for any number of walks, which may run at the same time on any executors.
///
/// Copies share the limits. All functions are thread-safe. A walk takes part through a ready queue, see `resource_pools`.
class resource_limits {
public:
    /// No resource has a capacity yet.
    resource_limits() : state_(std::make_shared<detail::resource_state>()) {}
    /// Limits with these capacities; the last one of a resource counts.
    resource_limits(std::initializer_list<resource_capacity> capacities) : resource_limits()
    {
        for (resource_capacity const& each : capacities) set_capacity(each.resource, each.units);
    }

    /// Changes the capacity of a resource, or adds the resource, also while walks run.
    ///
    /// More units start vertices that wait for them. With fewer units, running visits end before others start. A vertex that
    /// waits for more than the new capacity ends its walk with an error, except that 0 is a pause: vertices then wait until the
    /// capacity is raised.
    void set_capacity(std::uint64_t resource, std::uint32_t units) { state_->set_capacity(resource, units); }
    /// Returns the number of units; 0 if the resource is unknown.
    [[nodiscard]] auto capacity(std::uint64_t resource) const -> std::uint32_t
    {
        return state_->read(resource, [](detail::limited_resource const& of) { return of.capacity; });
    }
    /// Returns the number of units that visits use. It exceeds the capacity if that was lowered.
    [[nodiscard]] auto in_use(std::uint64_t resource) const -> std::uint32_t
    {
        return state_->read(
            resource, [](detail::limited_resource const& of) { return static_cast<std::uint32_t>(of.taken); });
    }

private:
    template <class RequestOf, class Queue>
    friend class resource_pools;

    std::shared_ptr<detail::resource_state> state_;
};

}  // namespace strider

#endif  // STRIDER_WALK_RESOURCE_LIMITS_HPP
