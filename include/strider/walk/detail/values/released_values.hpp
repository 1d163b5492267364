// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_VALUES_RELEASED_VALUES_HPP
#define STRIDER_WALK_DETAIL_VALUES_RELEASED_VALUES_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/detail/values/value_slots.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

// Values that are destroyed when their last reader has ended. The readers of a value are the dependents of its vertex,
// and the caller for a value that is kept. Every vertex of a run sets its own counter before its dependents are
// settled, so a run needs no state of the run before.
template <class T>
class released_values {
public:
    using value_type = T;
    static constexpr bool needs_full_run = true;
    static constexpr bool detects_changes = false;

    template <class Graph, class Keep>
    released_values(Graph const& graph, Keep& keep)
        : slots_(graph),
          readers_(graph.id_bound()),
          open_(std::make_unique<std::atomic<std::uint32_t>[]>(graph.id_bound()))
    {
        for (vertex_id const v : graph.vertices())
            readers_[v.index()] = static_cast<std::uint32_t>(graph.dependent_count(v)) + (keep(v) ? 1U : 0U);
    }
    released_values(released_values const&) = delete;
    auto operator=(released_values const&) -> released_values& = delete;
    ~released_values() { clear(); }

    // Called by the visit of `v`, or instead of it.
    void begin(vertex_id v) noexcept
    {
        if (!contains(v)) return;
        slots_.destroy(v);
        open_[v.index()].store(0, std::memory_order_relaxed);
    }
    [[nodiscard]] auto inputs(vertex_id v) const noexcept -> dependency_values<T> { return slots_.inputs(v); }
    template <class U>
    [[nodiscard]] auto put(vertex_id v, U&& value) -> bool
    {
        if (readers_[v.index()] == 0) return true;
        slots_.construct(v, std::forward<U>(value));
        open_[v.index()].store(readers_[v.index()], std::memory_order_relaxed);
        return true;
    }
    void fail(vertex_id) const noexcept {}
    void end(vertex_id v) noexcept
    {
        for (vertex_id const dependency : slots_.dependencies(v)) release(dependency);
    }
    void settle_without_visit(vertex_id v, visit_outcome const&) noexcept { begin(v); }

    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool
    {
        return open_[v.index()].load(std::memory_order_relaxed) != 0;
    }
    [[nodiscard]] auto operator[](vertex_id v) const noexcept -> T& { return slots_[v]; }
    void clear() noexcept
    {
        for (std::size_t i = 0; i < slots_.size(); ++i) begin(vertex_id(i));
    }

private:
    // The count is 0 if the dependency has no value.
    void release(vertex_id dependency) noexcept
    {
        std::atomic<std::uint32_t>& open = open_[dependency.index()];
        std::uint32_t const seen = open.load(std::memory_order_acquire);
        if (seen == 0) return;
        if (seen != 1 && open.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        slots_.destroy(dependency);
        open.store(0, std::memory_order_relaxed);
    }

    value_slots<T> slots_;
    std::vector<std::uint32_t> readers_;
    std::unique_ptr<std::atomic<std::uint32_t>[]> open_;
};

// Values whose destructor has no effect are overwritten by the next run. Where assertions are evaluated, a byte for each vertex states
// whether it has a value; elsewhere none is allocated. The layout is the same.
template <class T>
    requires std::is_trivially_destructible_v<T>
class released_values<T> {
public:
    using value_type = T;
    static constexpr bool needs_full_run = true;
    static constexpr bool detects_changes = false;

    template <class Graph, class Keep>
    released_values(Graph const& graph, Keep&) : slots_(graph)
    {
        STRIDER_ASSERT((is_present_.resize(graph.id_bound()), true), "evaluated only where assertions are");
    }
    released_values(released_values const&) = delete;
    auto operator=(released_values const&) -> released_values& = delete;

    void begin(vertex_id v) noexcept { set_present(v, false); }
    [[nodiscard]] auto inputs(vertex_id v) const noexcept -> dependency_values<T> { return slots_.inputs(v); }
    template <class U>
    [[nodiscard]] auto put(vertex_id v, U&& value) -> bool
    {
        slots_.construct(v, std::forward<U>(value));
        set_present(v, true);
        return true;
    }
    void fail(vertex_id) const noexcept {}
    void end(vertex_id) const noexcept {}
    void settle_without_visit(vertex_id v, visit_outcome const&) noexcept { begin(v); }
    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool
    {
        return is_present_.empty() || (v.index() < is_present_.size() && is_present_[v.index()] != 0);
    }
    [[nodiscard]] auto operator[](vertex_id v) const noexcept -> T& { return slots_[v]; }
    void clear() noexcept { std::fill(is_present_.begin(), is_present_.end(), static_cast<unsigned char>(0)); }

private:
    void set_present(vertex_id v, bool is_present) noexcept
    {
        if (!is_present_.empty()) is_present_[v.index()] = is_present ? 1 : 0;
    }

    value_slots<T> slots_;
    std::vector<unsigned char> is_present_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_VALUES_RELEASED_VALUES_HPP
