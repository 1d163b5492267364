// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_SET_HPP
#define STRIDER_CORE_VERTEX_SET_HPP

#include <strider/core/vertex_id.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace strider {

/// A set of vertices of one graph, one bit each; grows as vertices are inserted.
class vertex_set {
public:
    vertex_set() = default;
    explicit vertex_set(std::size_t id_bound) : words_((id_bound + 63) / 64) {}

    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool
    {
        return v.index() / 64 < words_.size() && (words_[v.index() / 64] >> (v.index() % 64) & 1U) != 0;
    }

    /// Returns whether `v` was new.
    auto insert(vertex_id v) -> bool
    {
        if (v.index() / 64 >= words_.size()) words_.resize(v.index() / 64 + 1);
        std::uint64_t const bit = std::uint64_t{1} << (v.index() % 64);
        bool const added = (words_[v.index() / 64] & bit) == 0;
        words_[v.index() / 64] |= bit;
        return added;
    }

    /// Returns whether `v` was there.
    auto erase(vertex_id v) noexcept -> bool
    {
        if (!contains(v)) return false;
        words_[v.index() / 64] &= ~(std::uint64_t{1} << (v.index() % 64));
        return true;
    }

    /// \complexity O(id bound / 64).
    [[nodiscard]] auto size() const noexcept -> std::size_t
    {
        std::size_t count = 0;
        for (std::uint64_t const word : words_) count += static_cast<std::size_t>(std::popcount(word));
        return count;
    }

    void clear() noexcept
    {
        for (std::uint64_t& word : words_) word = 0;
    }

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace strider

#endif  // STRIDER_CORE_VERTEX_SET_HPP
