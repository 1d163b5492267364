// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_SET_HPP
#define STRIDER_CORE_VERTEX_SET_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/element_count.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/range/access.hpp>

#include <boost/dynamic_bitset.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace strider {

/// A set of vertices of one graph, one bit per vertex. It grows on insertion. A range of ids, ascending. A set from which
/// another was moved is empty.
/// \tparam Id  the ids of the graph, in general `vertex_id_t<Graph>`
template <class Id>
class basic_vertex_set {
    using bitset = boost::dynamic_bitset<std::uint64_t>;
    struct cursor {
        bitset const* bits = nullptr;
        std::size_t at = bitset::npos;

        [[nodiscard]] auto read() const noexcept -> Id { return Id(at); }
        void next() { at = bits->find_next(at); }
        [[nodiscard]] auto equal(cursor const& other) const noexcept -> bool { return at == other.at; }
    };

public:
    /// Types of a range. Iterators are forward iterators that return ids by value; members cannot be changed through them.
    /// @{
    using value_type = Id;
    using iterator = ranges::basic_iterator<cursor>;
    using const_iterator = iterator;
    /// @}

    /// An empty set, which allocates on the first insertion.
    basic_vertex_set() = default;
    /// An empty set with memory for all ids below `id_bound`: inserting them does not allocate.
    explicit basic_vertex_set(std::size_t id_bound) : members_(id_bound) {}
    /// The set of the elements of a range.
    template <vertex_range<Id> R>
        requires(!std::same_as<std::remove_cvref_t<R>, basic_vertex_set>)
    explicit basic_vertex_set(R&& range)
    {
        for (Id const v : range) insert(v);
    }

    /// Copies the members.
    basic_vertex_set(basic_vertex_set const&) = default;
    /// Copies the members.
    auto operator=(basic_vertex_set const&) -> basic_vertex_set& = default;
    /// Takes the members of the other set, which is empty then.
    basic_vertex_set(basic_vertex_set&&) noexcept = default;
    /// Takes the members of the other set, which is empty then.
    auto operator=(basic_vertex_set&&) noexcept -> basic_vertex_set& = default;
    ~basic_vertex_set() = default;

    /// Returns true if `v` is a member; false for every id beyond those ever inserted. \complexity O(1).
    [[nodiscard]] auto contains(Id v) const noexcept -> bool
    {
        return v.index() < members_.size() && members_[v.index()];
    }

    /// Inserts `v`. Returns false if it was a member. Invalidates iterators. \pre `v` identifies a vertex
    auto insert(Id v) -> bool
    {
        STRIDER_ASSERT(v, "the id identifies a vertex");
        if (v.index() >= members_.size()) members_.resize(v.index() + 1);
        bool const added = !members_.test_set(v.index());
        if (added) ++size_;
        return added;
    }

    /// Erases `v`. Returns false if it was not a member.
    auto erase(Id v) noexcept -> bool
    {
        if (!contains(v)) return false;
        members_.reset(v.index());
        --size_;
        return true;
    }

    /// The number of members. \complexity O(1): it is counted on insertion and erasure.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return size_; }

    /// True if there is no member. \complexity O(1).
    [[nodiscard]] auto empty() const noexcept -> bool { return size_ == 0; }

    /// Erases all members and keeps the memory. \complexity O(id bound / 64).
    void clear() noexcept
    {
        members_.reset();
        size_ = {};
    }

    /// \complexity O(id bound / 64 + size) for an iteration over all members
    [[nodiscard]] auto begin() const noexcept -> iterator { return iterator(cursor{&members_, members_.find_first()}); }
    /// The end of the range; valid, like all iterators, until the next insertion.
    [[nodiscard]] auto end() const noexcept -> iterator { return iterator(cursor{&members_, bitset::npos}); }

    /// True if both sets have the same members, whatever memory they have. \complexity O(id bound / 64 + size).
    [[nodiscard]] friend auto operator==(basic_vertex_set const& a, basic_vertex_set const& b) -> bool
    {
        return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&b](Id v) { return b.contains(v); });
    }

private:
    bitset members_;
    detail::element_count size_;
};

/// A set of vertices of a `dag`.
using vertex_set = basic_vertex_set<vertex_id>;

/// A set of vertices of a graph of type `G`.
template <class G>
using vertex_set_t = basic_vertex_set<vertex_id_t<G>>;

}  // namespace strider

#endif  // STRIDER_CORE_VERTEX_SET_HPP
