// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_COMPRESSED_ROWS_HPP
#define STRIDER_CORE_DETAIL_COMPRESSED_ROWS_HPP

#include <strider/core/assert.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace strider::detail {

// Lists of vertices, one after another in one array that another object stores.
template <class Id>
class row_arrays {
public:
    row_arrays() = default;
    row_arrays(std::size_t rows, Id const* targets, std::uint32_t const* firsts) noexcept
        : targets_(targets),
          firsts_(firsts),
          size_(rows)
    {}

    [[nodiscard]] auto size() const noexcept -> std::size_t { return size_; }
    [[nodiscard]] auto operator[](std::size_t row) const -> std::span<Id const>
    {
        return {targets_ + firsts_[row], targets_ + firsts_[row + 1]};
    }

private:
    Id const* targets_ = nullptr;
    std::uint32_t const* firsts_ = nullptr;
    std::size_t size_ = 0;
};

// One list of vertices per vertex, all in one array, filled by counting sort. First `count` every entry, then `seal`,
// then `put` every entry. A row keeps the order of `put`.
template <class Id>
class compressed_rows {
public:
    using index = std::uint32_t;

    compressed_rows() = default;
    // Offsets are shifted by one while rows are filled, so that filling a row moves its start to the final position.
    explicit compressed_rows(std::size_t rows) : offsets_(rows + 2) {}

    void count(Id v, std::size_t entries = 1) { offsets_[v.index() + 2] += static_cast<index>(entries); }
    void seal()
    {
        std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
        targets_.resize(offsets_.empty() ? 0 : offsets_.back());
    }
    // \return the position of the entry in the array of all entries
    auto put(Id v, Id target) -> index
    {
        index const at = offsets_[v.index() + 1]++;
        STRIDER_ASSERT(at < targets_.size(), "every entry was counted");
        targets_[at] = target;
        return at;
    }

    [[nodiscard]] auto rows() const noexcept -> std::size_t { return offsets_.size() < 2 ? 0 : offsets_.size() - 2; }
    // The position of the first entry of a row; the end of the last one if there is no such row.
    [[nodiscard]] auto first(std::size_t row) const -> index { return offsets_[row]; }
    [[nodiscard]] auto arrays() const noexcept -> row_arrays<Id> { return {rows(), targets_.data(), offsets_.data()}; }
    [[nodiscard]] auto size(Id v) const -> std::size_t { return offsets_[v.index() + 1] - offsets_[v.index()]; }
    [[nodiscard]] auto all() const noexcept -> std::span<Id const> { return targets_; }
    [[nodiscard]] auto operator[](Id v) const -> std::span<Id const>
    {
        return std::span(targets_).subspan(offsets_[v.index()], size(v));
    }

private:
    std::vector<index> offsets_;
    std::vector<Id> targets_;
};

// The parts of a `dag` that `freeze` and walks use.
struct dag_access {
    template <class Dag, class G, class Naming>
    [[nodiscard]] static auto make(G&& g, Naming const& naming)
    {
        return Dag::from(std::forward<G>(g), naming);
    }
    template <class Dag>
    [[nodiscard]] static auto dependents(Dag const& g) noexcept -> decltype(g.dependents_.arrays())
    {
        return g.dependents_.arrays();
    }
    template <class Dag>
    [[nodiscard]] static auto dependencies(Dag const& g) noexcept -> decltype(g.dependencies_.arrays())
    {
        return g.dependencies_.arrays();
    }
};

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_COMPRESSED_ROWS_HPP
