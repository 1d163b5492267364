// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_EDGE_ROWS_HPP
#define STRIDER_CORE_DETAIL_EDGE_ROWS_HPP

#include <strider/core/detail/indexed.hpp>

#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/iterator/operations.hpp>
#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/traits.hpp>
#include <range/v3/view/subrange.hpp>

#include <cstddef>
#include <utility>

namespace strider::detail {

// A position among the edges of a range of vertices. `Rows` returns the edges of a vertex; its iterators stay valid without the
// row.
template <class Vertices, class Rows>
struct edge_row_cursor : cursor_base {
    using row = decltype(std::declval<Rows const&>()(*std::declval<ranges::iterator_t<Vertices> const&>()));

    Rows rows{};
    ranges::iterator_t<Vertices> vertex{};
    ranges::iterator_t<Vertices> last{};
    ranges::iterator_t<row> edge{};
    ranges::sentinel_t<row> row_end{};

    // The first edge of the vertex, or of one after it.
    [[nodiscard]] auto from(ranges::iterator_t<Vertices> const& first) const -> edge_row_cursor
    {
        edge_row_cursor found = *this;
        for (found.vertex = first; found.vertex != last; ++found.vertex) {
            row edges = rows(*found.vertex);
            found.edge = ranges::begin(edges);
            found.row_end = ranges::end(edges);
            if (found.edge != found.row_end) break;
        }
        return found;
    }
    [[nodiscard]] auto read() const { return *edge; }
    void next()
    {
        if (++edge == row_end) *this = from(ranges::next(vertex));
    }
    [[nodiscard]] auto equal(edge_row_cursor const& other) const -> bool
    {
        return vertex == other.vertex && (vertex == last || edge == other.edge);
    }
};

// The edges of a range of vertices, row by row: a forward range whose iterators stay valid without the view.
template <ranges::borrowed_range Vertices, class Rows>
[[nodiscard]] auto edge_rows(Vertices vertices, Rows rows)
{
    auto const last = ranges::next(ranges::begin(vertices), ranges::end(vertices));
    edge_row_cursor<Vertices, Rows> const end{{}, rows, last, last, {}, {}};
    return std::pair(ranges::basic_iterator(end.from(ranges::begin(vertices))), ranges::basic_iterator(end));
}

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_EDGE_ROWS_HPP
