// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_VALUES_CACHED_VALUES_HPP
#define STRIDER_WALK_DETAIL_VALUES_CACHED_VALUES_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/change_detection.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/detail/values/value_slots.hpp>
#include <strider/walk/walk_report.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace strider::detail {

// Values that stay from run to run. A vertex whose visit failed, was skipped or cancelled has none.
template <class T>
class cached_values {
public:
    using value_type = T;
    static constexpr bool needs_full_run = false;
    static constexpr bool detects_changes = enable_change_detection<T>;

    template <class Graph>
    explicit cached_values(Graph const& graph) : slots_(graph),
                                                 is_present_(graph.id_bound())
    {}
    cached_values(cached_values const&) = delete;
    auto operator=(cached_values const&) -> cached_values& = delete;
    ~cached_values() { clear(); }

    void begin(vertex_id) const noexcept {}
    [[nodiscard]] auto inputs(vertex_id v) const noexcept -> dependency_values<T> { return slots_.inputs(v); }
    // \return false if the value equals the one before
    template <class U>
    [[nodiscard]] auto put(vertex_id v, U&& value) -> bool
    {
        if (contains(v)) {
            T made(std::forward<U>(value));
            if constexpr (detects_changes)
                if (slots_[v] == made) return false;
            fail(v);
            return put(v, std::move(made));
        }
        slots_.construct(v, std::forward<U>(value));
        is_present_[v.index()] = 1;
        return true;
    }
    void fail(vertex_id v) noexcept
    {
        if (!contains(v)) return;
        is_present_[v.index()] = 0;
        slots_.destroy(v);
    }
    void end(vertex_id) const noexcept {}
    void settle_without_visit(vertex_id v, visit_outcome const& outcome) noexcept
    {
        if (!outcome.is_unchanged()) fail(v);
    }

    [[nodiscard]] auto size() const noexcept -> std::size_t { return slots_.size(); }
    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool { return is_present_[v.index()] != 0; }
    [[nodiscard]] auto operator[](vertex_id v) const noexcept -> T& { return slots_[v]; }
    void clear() noexcept
    {
        for (std::size_t i = 0; i < slots_.size(); ++i) fail(vertex_id(i));
    }

private:
    value_slots<T> slots_;
    std::vector<unsigned char> is_present_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_VALUES_CACHED_VALUES_HPP
