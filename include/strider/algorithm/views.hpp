// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_VIEWS_HPP
#define STRIDER_ALGORITHM_VIEWS_HPP

#include <strider/core/detail/adjacency.hpp>
#include <strider/core/detail/kahn.hpp>
#include <strider/core/direction.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/core/views.hpp>

#include <range/v3/iterator/default_sentinel.hpp>
#include <range/v3/range/access.hpp>
#include <range/v3/range/traits.hpp>
#include <range/v3/view/all.hpp>
#include <range/v3/view/facade.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/single.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

namespace detail {

// The state of a depth-first search between two vertices: the path from a start to the current vertex. In postorder a vertex
// is current when all that is reachable from it has been.
template <direction D, bool IsPostorder, class G, class Starts>
class depth_first_search {
    using id = vertex_id_t<G>;
    using neighbours = decltype(incident<D>(std::declval<G const&>(), id()));
    struct position {
        id vertex;
        ranges::iterator_t<neighbours> at;
        ranges::sentinel_t<neighbours> end;
    };

public:
    depth_first_search(G const* g, Starts starts)
        : graph_(g),
          starts_(std::move(starts)),
          start_(ranges::begin(starts_)),
          seen_(g->id_bound())
    {
        next();
    }

    [[nodiscard]] auto current() const -> id { return path_.back().vertex; }
    [[nodiscard]] auto is_at_end() const -> bool { return path_.empty(); }
    void next()
    {
        if constexpr (IsPostorder) {
            if (!path_.empty()) path_.pop_back();
            if (path_.empty()) enter_start();
            while (!path_.empty() && enter_neighbour()) {}
        } else {
            for (; !path_.empty(); path_.pop_back())
                if (enter_neighbour()) return;
            enter_start();
        }
    }

private:
    auto enter_neighbour() -> bool
    {
        for (position& p = path_.back(); p.at != p.end;)
            if (enter(*p.at++)) return true;
        return false;
    }
    void enter_start()
    {
        while (start_ != ranges::end(starts_))
            if (enter(*start_++)) return;
    }
    auto enter(id v) -> bool
    {
        if (!seen_.insert(v)) return false;
        auto&& row = incident<D>(*graph_, v);
        path_.push_back({v, ranges::begin(row), ranges::end(row)});
        return true;
    }

    G const* graph_;
    Starts starts_;
    ranges::iterator_t<Starts> start_;
    vertex_set_t<G> seen_;
    std::vector<position> path_;
};

// The state of a breadth-first search between two vertices.
template <direction D, class G, class Starts>
class breadth_first_search {
    using id = vertex_id_t<G>;

public:
    breadth_first_search(G const* g, Starts starts) : graph_(g), seen_(g->id_bound()) { append(starts); }

    [[nodiscard]] auto current() const -> id { return order_[at_]; }
    [[nodiscard]] auto is_at_end() const -> bool { return at_ == order_.size(); }
    void next() { append(incident<D>(*graph_, order_[at_++])); }

private:
    template <class Vertices>
    void append(Vertices&& vertices)
    {
        for (id const v : vertices)
            if (seen_.insert(v)) order_.push_back(v);
    }

    G const* graph_;
    vertex_set_t<G> seen_;
    std::vector<id> order_;
    std::size_t at_ = 0;
};

// The state of Kahn's algorithm between two layers. The vertices of the current layer are [first, last) in the order.
template <class G>
class layered_search {
    using id = vertex_id_t<G>;

public:
    explicit layered_search(G const* g) : dependents_(*g), search_(*g, dependents_)
    {
        order_.reserve(g->vertex_count());
        search_.each_leaf([this](id v) { order_.push_back(v); });
        last_ = order_.size();
    }
    layered_search(layered_search const&) = delete;
    auto operator=(layered_search const&) -> layered_search& = delete;

    [[nodiscard]] auto current() const -> std::span<id const>
    {
        return std::span(order_).subspan(first_, last_ - first_);
    }
    [[nodiscard]] auto is_at_end() const -> bool { return first_ == order_.size(); }
    void next()
    {
        for (; first_ != last_; ++first_) search_.settle(order_[first_], [this](id v) { order_.push_back(v); });
        last_ = order_.size();
    }

private:
    adjacency<direction::dependents, G> dependents_;
    kahn_search<G> search_;
    std::vector<id> order_;  // never reallocated
    std::size_t first_ = 0;
    std::size_t last_ = 0;
};

// The elements that a search finds, as a single-pass view. Each `begin` starts a new search, which its iterators own; the view keeps
// the last one, so that a layer outlives the iterator. `ranges::views::generate` neither ends nor starts again.
template <class Search, class... Args>
class search_view : public ranges::view_facade<search_view<Search, Args...>, ranges::finite> {
    friend ranges::range_access;

    struct cursor {
        using single_pass = std::true_type;
        std::shared_ptr<Search> search;

        [[nodiscard]] auto read() const { return search->current(); }
        void next() { search->next(); }
        [[nodiscard]] auto equal(ranges::default_sentinel_t) const -> bool { return search->is_at_end(); }
    };
    [[nodiscard]] auto begin_cursor() -> cursor
    {
        search_ = std::apply([](Args const&... args) { return std::make_shared<Search>(args...); }, args_);
        return {search_};
    }

public:
    search_view() = default;
    explicit search_view(Args... args) : args_(std::move(args)...) {}

private:
    std::tuple<Args...> args_;
    std::shared_ptr<Search> search_;
};

template <direction D, class G, class Starts>
using preorder_search = depth_first_search<D, false, G, Starts>;
template <direction D, class G, class Starts>
using postorder_search = depth_first_search<D, true, G, Starts>;

// A search from a vertex or a range of vertices, in a direction that is known when it is compiled.
template <template <direction, class, class> class Search>
struct search_fn {
    template <class G, ranges::viewable_range Starts, direction D = direction::dependencies>
        requires vertex_range<Starts, vertex_id_t<G>>
    [[nodiscard]] auto operator()(G const& g, Starts&& starts, direction_constant<D> = {}) const
    {
        using starts_view = ranges::views::all_t<Starts>;
        return search_view<Search<D, G, starts_view>, G const*, starts_view>(
            &g, ranges::views::all(std::forward<Starts>(starts)));
    }
    template <class G, direction D = direction::dependencies>
    [[nodiscard]] auto operator()(G const& g, vertex_id_t<G> start, direction_constant<D> along = {}) const
    {
        return (*this)(g, ranges::views::single(start), along);
    }
};
}  // namespace detail

namespace views {

/// The given vertices and those that are reachable from them, in depth-first order: each vertex when it is first reached. The
/// argument is a vertex, a view of vertices, or a container that lives as long as the result. A second argument is the
/// direction, `along_dependencies` by default: `g | views::depth_first(v, along_dependents)`.
///
/// A single-pass view. \complexity O(V + E) of the part that is iterated over; one bit per vertex and one position per vertex
/// of the longest path.
inline constexpr detail::graph_query_of depth_first{detail::search_fn<detail::preorder_search>()};
/// The same vertices in postorder: each after all vertices that were first reached from it. Along dependencies of an acyclic graph,
/// this is a topological order of the part: dependencies first. \see depth_first
inline constexpr detail::graph_query_of postorder{detail::search_fn<detail::postorder_search>()};
/// The same vertices in breadth-first order: by the number of edges from the nearest start. \see depth_first
///
/// A single-pass view. \complexity O(V + E) of the part that is iterated over; one bit per vertex and one id per vertex found.
inline constexpr detail::graph_query_of breadth_first{detail::search_fn<detail::breadth_first_search>()};
/// All direct and indirect dependencies of a vertex, in depth-first order. The vertex itself is included only if it is on a
/// cycle. \see depth_first
inline constexpr detail::graph_query_of ancestors{
    []<class G>(G const& g, vertex_id_t<G> v) { return depth_first(g, g.dependencies(v)); }};
/// All direct and indirect dependents of a vertex, in depth-first order. The vertex itself is included only if it is on a
/// cycle. \see depth_first
inline constexpr detail::graph_query_of descendants{
    []<class G>(G const& g, vertex_id_t<G> v) { return depth_first(g, g.dependents(v), along_dependents); }};
/// The layers of a graph as ranges of vertices: the vertices without dependencies, then those whose dependencies are in
/// earlier layers, and so on. A layer is valid until the next one is computed.
///
/// A single-pass view. \complexity O(V + E).
inline constexpr detail::graph_query layers{
    []<class G>(G const& g) { return detail::search_view<detail::layered_search<G>, G const*>(&g); }};
/// The vertices in topological order: each comes after all of its dependencies. Vertices of cycles, and those that depend on
/// them, are missing; `topological_order` reports the cycle instead.
///
/// The vertices of a `dag` in ascending id, in O(1); of another graph a single-pass view in O(V + E).
inline constexpr detail::graph_query topological{[]<class G>(G const& g) {
    if constexpr (acyclic_graph<G>) return g.vertices();
    else return layers(g) | ranges::views::join;
}};

}  // namespace views

}  // namespace strider

#endif  // STRIDER_ALGORITHM_VIEWS_HPP
