// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_HOT_RECORDS_HPP
#define STRIDER_WALK_DETAIL_STEALING_HOT_RECORDS_HPP

#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace strider::detail {

using index_t = std::uint32_t;

// The data of a vertex that a parallel run writes, and the count that restores it. Constant data, such as the rows of
// dependents, is stored elsewhere, so that it stays in the caches of all processors.
template <class Threads>
struct alignas(8) hot_record {
    shared_atomic<Threads, index_t, shared_variable::open> open{0};  // dependencies that are not settled
    index_t dependency_count = 0;
};
static_assert(sizeof(hot_record<native_threads>) == 8);

// The counters of a parallel run. Each vertex restores its own counter when it is settled, so the next run needs no
// reset.
//
// A visit sees the writes of its dependencies: settling a dependency decrements the counter with acquire and release,
// the decrements of one counter form one release sequence, and the worker that finds 1, or decrements to 0, has
// acquired all of them. A worker that finds 1 need not write, because no other worker reads the counter in this run.
template <class Threads = native_threads>
class basic_hot_records {
public:
    basic_hot_records() = default;
    explicit basic_hot_records(row_arrays<vertex_id> const& dependents)
        : dependents_(dependents),
          records_(dependents.size()),
          inherited_(records_.size()),
          traits_(records_.size())
    {
        for (std::size_t v = 0; v < records_.size(); ++v)
            for (vertex_id const d : dependents[v]) ++records_[d.index()].dependency_count;
        for (std::size_t v = 0; v < records_.size(); ++v) {
            records_[v].open.store(records_[v].dependency_count, std::memory_order_relaxed);
            if (records_[v].dependency_count >= 64) traits_[v] = fan_in_bit;
        }
        for (index_t v = 0; v < records_.size(); ++v)
            for (vertex_id const d : this->dependents(v))
                if (has_high_fan_in(static_cast<index_t>(d.index()))) traits_[v] |= feeds_bit;
        while (leaves_ < records_.size() && records_[leaves_].dependency_count == 0) ++leaves_;
    }

    [[nodiscard]] auto empty() const noexcept -> bool { return records_.empty(); }
    // The number of vertices without dependencies. They have the smallest ids.
    [[nodiscard]] auto leaves() const noexcept -> index_t { return leaves_; }
    [[nodiscard]] auto has_high_fan_in(index_t v) const -> bool { return (traits_[v] & fan_in_bit) != 0; }
    [[nodiscard]] auto feeds_high_fan_in(index_t v) const -> bool { return (traits_[v] & feeds_bit) != 0; }
    [[nodiscard]] auto dependents(index_t v) const -> std::span<vertex_id const> { return dependents_[v]; }

    // Restores the counter. Called once per run, by the worker that visits the vertex.
    void restore(index_t v) { records_[v].open.store(records_[v].dependency_count, std::memory_order_relaxed); }
    // Returns and clears the inherited outcomes. Not needed if no outcome was passed on.
    [[nodiscard]] auto take_inherited(index_t v) -> index_t
    {
        index_t const inherited = inherited_[v].load(std::memory_order_relaxed);
        if (inherited != 0) inherited_[v].store(0, std::memory_order_relaxed);
        return inherited;
    }
    // Settles one dependency of a vertex. \return true if it was the last one
    [[nodiscard]] auto settle_one(index_t v) -> bool
    {
        auto& open = records_[v].open;
        return open.load(std::memory_order_acquire) == 1 || open.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }
    [[nodiscard]] auto settle_some(index_t v, index_t count) -> bool
    {
        return records_[v].open.fetch_sub(count, std::memory_order_acq_rel) == count;
    }
    // Called before a dependency is settled.
    void pass_on(index_t v, index_t inherited)
    {
        inherited_[v].fetch_or(static_cast<std::uint8_t>(inherited), std::memory_order_relaxed);
    }
    // Before a partial run: only edges between selected vertices count.
    void expect_none(index_t v) { records_[v].open.store(0, std::memory_order_relaxed); }
    void expect_one(index_t v)
    {
        records_[v].open.store(records_[v].open.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    [[nodiscard]] auto is_ready(index_t v) const -> bool
    {
        return records_[v].open.load(std::memory_order_relaxed) == 0;
    }

private:
    static constexpr std::uint8_t fan_in_bit = 1;
    static constexpr std::uint8_t feeds_bit = 2;

    row_arrays<vertex_id> dependents_;
    std::vector<hot_record<Threads>> records_;
    // Read and written only after an outcome other than done, and in partial runs.
    std::vector<shared_atomic<Threads, std::uint8_t, shared_variable::inherited>> inherited_;
    std::vector<std::uint8_t> traits_;
    index_t leaves_ = 0;
};

// Decrements for vertices with a high fan-in (64 dependencies or more), which one worker defers and applies together.
// Single decrements would move the cache line of the counter between workers. Used for short visits only, because
// deferring delays the vertex.
class deferred_decrements {
public:
    // Calls apply(v, count) for the vertex whose entry is reused.
    template <class Apply>
    void add(index_t v, Apply apply)
    {
        auto& [kept, count] = entries_[v % entries_.size()];
        if (kept != v && count != 0) apply(kept, std::exchange(count, 0));
        kept = v;
        ++count;
        used_ |= index_t{1} << (v % entries_.size());
    }
    template <class Apply>
    void settle(Apply apply)
    {
        for (; used_ != 0; used_ &= used_ - 1) {
            auto& [kept, count] = entries_[static_cast<std::size_t>(std::countr_zero(used_))];
            apply(kept, std::exchange(count, 0));
        }
    }

private:
    std::array<std::pair<index_t, index_t>, 16> entries_{};
    index_t used_ = 0;  // one bit per entry in use
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_HOT_RECORDS_HPP
