// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_PARTIAL_SELECTION_HPP
#define STRIDER_WALK_DETAIL_STEALING_PARTIAL_SELECTION_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/outcome_rules.hpp>
#include <strider/walk/detail/stealing/hot_records.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace strider::detail {

// The vertices of a partial run: those that changed, and their direct and indirect dependents. The counters are set
// to count only edges between them; each is restored when its vertex starts.
class partial_selection {
public:
    template <class Records>
    void select(std::span<vertex_id const> changed, Records& records, std::size_t vertices)
    {
        is_made_ = true;
        if (is_selected_.empty()) is_selected_ = std::vector<std::uint8_t>(vertices);
        auto const add = [this](vertex_id v) {
            if (std::exchange(is_selected_[v.index()], std::uint8_t{1}) == 0) selected_.push_back(v);
        };
        auto const index = [](vertex_id v) { return static_cast<index_t>(v.index()); };
        for (vertex_id const v : changed) add(v);
        for (std::size_t next = 0; next < selected_.size(); ++next)
            for (vertex_id const d : records.dependents(index(selected_[next]))) add(d);
        std::ranges::sort(selected_);
        for (vertex_id const v : selected_) {
            records.expect_none(index(v));
            is_selected_[v.index()] = 0;
        }
        for (vertex_id const v : selected_)
            for (vertex_id const d : records.dependents(index(v))) records.expect_one(index(d));
        for (vertex_id const v : changed) records.pass_on(index(v), inherited::affected);
    }

    [[nodiscard]] auto is_made() const noexcept -> bool { return is_made_; }
    // Ascending.
    [[nodiscard]] auto selected() const noexcept -> std::vector<vertex_id> const& { return selected_; }
    [[nodiscard]] auto take() -> std::vector<vertex_id>
    {
        is_made_ = false;
        return std::exchange(selected_, {});
    }

private:
    std::vector<vertex_id> selected_;
    std::vector<std::uint8_t> is_selected_;  // all zero, except during `select`
    bool is_made_ = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_PARTIAL_SELECTION_HPP
