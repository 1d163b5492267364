// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_SET_HPP
#define STRIDER_CORE_VERTEX_SET_HPP

#include <strider/core/detail/index_views.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace strider {

/// A set of vertices of one graph, one bit per vertex. It grows on insertion. A range of ids, ascending.
/// \tparam Id  the ids of the graph, in general `vertex_id_t<Graph>`
template <class Id>
class basic_vertex_set {
    struct members {
        using value_type = Id;
        std::uint64_t const* words = nullptr;

        [[nodiscard]] auto next(std::size_t at, std::size_t bound) const noexcept -> std::size_t
        {
            if (at >= bound) return bound;
            std::size_t word = at / 64;
            std::uint64_t bits = words[word] >> (at % 64) << (at % 64);
            while (bits == 0) {
                if (++word == bound / 64) return bound;
                bits = words[word];
            }
            return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        }
        [[nodiscard]] auto read(std::size_t at) const noexcept -> Id { return Id(at); }
    };

public:
    /// Types of a range. Iterators are forward iterators that return ids by value; members cannot be changed through them.
    /// @{
    using value_type = Id;
    using iterator = detail::selecting_iterator<members>;
    using const_iterator = iterator;
    /// @}

    /// An empty set, which allocates on the first insertion.
    basic_vertex_set() = default;
    /// An empty set with memory for all ids below `id_bound`: inserting them does not allocate.
    explicit basic_vertex_set(std::size_t id_bound) : words_((id_bound + 63) / 64) {}
    /// A set from which another was moved is empty.
    /// @{
    basic_vertex_set(basic_vertex_set const&) = default;
    basic_vertex_set(basic_vertex_set&& other) noexcept
        : words_(std::exchange(other.words_, {})),
          size_(std::exchange(other.size_, 0))
    {}
    auto operator=(basic_vertex_set const&) -> basic_vertex_set& = default;
    auto operator=(basic_vertex_set&& other) noexcept -> basic_vertex_set&
    {
        words_ = std::exchange(other.words_, {});
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    /// @}
    ~basic_vertex_set() = default;

    /// Returns true if `v` is a member; false for every id beyond those ever inserted. \complexity O(1).
    [[nodiscard]] auto contains(Id v) const noexcept -> bool
    {
        return v.index() / 64 < words_.size() && (words_[v.index() / 64] >> (v.index() % 64) & 1U) != 0;
    }

    /// Inserts `v`. Returns false if it was a member. Invalidates iterators.
    auto insert(Id v) -> bool
    {
        if (v.index() / 64 >= words_.size()) words_.resize(v.index() / 64 + 1);
        std::uint64_t const bit = std::uint64_t{1} << (v.index() % 64);
        bool const added = (words_[v.index() / 64] & bit) == 0;
        words_[v.index() / 64] |= bit;
        size_ += added ? 1U : 0U;
        return added;
    }

    /// Erases `v`. Returns false if it was not a member.
    auto erase(Id v) noexcept -> bool
    {
        if (!contains(v)) return false;
        words_[v.index() / 64] &= ~(std::uint64_t{1} << (v.index() % 64));
        --size_;
        return true;
    }

    /// The number of members. \complexity O(1): it is counted on insertion and erasure.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return size_; }

    /// Erases all members and keeps the memory. \complexity O(id bound / 64).
    void clear() noexcept
    {
        for (std::uint64_t& word : words_) word = 0;
        size_ = 0;
    }

    /// \complexity O(id bound / 64 + size) for an iteration over all members
    [[nodiscard]] auto begin() const noexcept -> iterator { return iterator({words_.data()}, 0, words_.size() * 64); }
    /// The end of the range; valid, like all iterators, until the next insertion.
    [[nodiscard]] auto end() const noexcept -> iterator
    {
        return iterator({words_.data()}, words_.size() * 64, words_.size() * 64);
    }

private:
    std::vector<std::uint64_t> words_;
    std::size_t size_ = 0;
};

/// A set of vertices of a `dag`.
using vertex_set = basic_vertex_set<vertex_id>;

/// A set of vertices of a graph of type `G`.
template <class G>
using vertex_set_t = basic_vertex_set<vertex_id_t<G>>;

}  // namespace strider

#endif  // STRIDER_CORE_VERTEX_SET_HPP
