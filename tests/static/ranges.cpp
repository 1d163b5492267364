// SPDX-License-Identifier: BSL-1.0
// Rows, vertices, edges and roots of graphs are views of the standard library and of range-v3; maps and sets are ranges.
#include <strider/algorithm.hpp>
#include <strider/core.hpp>
#include <strider/transform.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/walk_report.hpp>

#include <range/v3/range/concepts.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/transform.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using draft = digraph<std::string>;
using frozen = dag<std::string>;

template <class R>
constexpr bool is_view = std::ranges::view<R> && std::ranges::forward_range<R const> && std::ranges::common_range<R>
    && ranges::view_<R> && ranges::forward_range<R const>;
template <class R>
constexpr bool is_borrowed = ranges::borrowed_range<R> && std::ranges::borrowed_range<R>;
template <class R>
constexpr bool is_sized = std::ranges::sized_range<R const> && ranges::sized_range<R const>;
template <class R>
constexpr bool has_random_access = std::ranges::random_access_range<R const> && ranges::random_access_range<R const>;

using draft_vertices = decltype(std::declval<draft const&>().vertices());
using draft_edges = decltype(std::declval<draft const&>().edges());
using draft_row = decltype(std::declval<draft const&>().dependents(draft_vertex_id()));
using draft_edge_row = decltype(std::declval<draft const&>().dependency_edges(draft_vertex_id()));
static_assert(is_view<draft_vertices> && is_sized<draft_vertices> && is_borrowed<draft_vertices>);
static_assert(is_view<draft_edges> && is_sized<draft_edges> && is_borrowed<draft_edges>);
static_assert(is_view<draft_row> && is_sized<draft_row> && is_borrowed<draft_row>);
static_assert(is_view<draft_edge_row> && is_sized<draft_edge_row> && is_borrowed<draft_edge_row>);
// The filter of range-v3 stores its first position, so it is iterated as an lvalue that is not const.
template <class R>
constexpr bool is_filtered = std::ranges::viewable_range<R> && std::ranges::forward_range<R> && ranges::view_<R>;
static_assert(is_filtered<decltype(std::declval<draft const&>() | views::roots)>);
static_assert(is_filtered<decltype(std::declval<draft const&>() | views::leaves)>);

static_assert(is_view<decltype(std::declval<draft const&>() | views::edges)>);
static_assert(is_view<decltype(std::declval<frozen const&>() | views::edges)>
    && is_sized<decltype(std::declval<frozen const&>() | views::edges)>
    && is_borrowed<decltype(std::declval<frozen const&>() | views::edges)>);

using frozen_vertices = decltype(std::declval<frozen const&>().vertices());
using frozen_row = decltype(std::declval<frozen const&>().dependencies(vertex_id()));
using frozen_edge_row = decltype(std::declval<frozen const&>().dependency_edges(vertex_id()));
static_assert(is_view<frozen_vertices> && is_borrowed<frozen_vertices> && is_sized<frozen_vertices>
    && has_random_access<frozen_vertices>);
static_assert(is_view<frozen_row> && is_sized<frozen_row> && is_borrowed<frozen_row>
    && std::ranges::contiguous_range<frozen_row const> && ranges::contiguous_range<frozen_row const>);
static_assert(is_view<frozen_edge_row> && is_borrowed<frozen_edge_row> && is_sized<frozen_edge_row>
    && has_random_access<frozen_edge_row>);
static_assert(is_filtered<decltype(std::declval<frozen const&>() | views::roots)>);

// A graph that is built and a graph that is walked are read in the same way.
template <class G, class Id = vertex_id_t<G>>
constexpr bool has_reading_interface = directed_graph<G> && requires(G const& g, Id v) {
    { g.contains(v) } -> std::same_as<bool>;
    { g.has_edge(v, depends_on(v)) } -> std::same_as<bool>;
    { g.origin(v, depends_on(v)) } -> std::same_as<edge_origin>;
    { g.dependency_count(v) } -> std::same_as<std::size_t>;
    { g.dependent_count(v) } -> std::same_as<std::size_t>;
    { g.dependent_edges(v) } -> edge_range<Id>;
    { views::edges(g) } -> edge_range<Id>;
};
static_assert(has_reading_interface<draft> && has_reading_interface<frozen>);
static_assert(has_reading_interface<reverse_graph<frozen>>);
static_assert(acyclic_graph<frozen> && acyclic_graph<reverse_graph<frozen>> && !acyclic_graph<draft>);

// An overload that rejects its arguments satisfies no requirement.
template <class G>
concept can_be_frozen = requires(G&& g) { freeze(std::forward<G>(g)); };
template <class G>
concept can_be_queried = requires(G&& g, vertex_id_t<G> v) {
    std::forward<G>(g) | views::roots;
    views::roots(std::forward<G>(g));
    std::forward<G>(g) | views::dependents(v);
    views::dependents(std::forward<G>(g), v);
    views::values_of(std::forward<G>(g));
};
template <class G>
concept can_be_piped = requires(G&& g) { std::forward<G>(g) | views::roots; };
template <class G>
concept can_be_bound = requires(G&& g) { views::values_of(std::forward<G>(g)); };
template <class G>
concept can_be_called = requires(G&& g, vertex_id_t<G> v) { views::dependents(std::forward<G>(g), v); };
template <class G, class Id>
concept has_value_of = requires(G& g, Id v) { g[v]; };
static_assert(can_be_queried<draft&> && can_be_queried<draft const&> && can_be_queried<frozen const&>);
static_assert(!can_be_piped<draft> && !can_be_piped<draft const> && !can_be_piped<frozen const>);
static_assert(!can_be_bound<draft> && !can_be_bound<draft const> && !can_be_bound<frozen const>);
static_assert(!can_be_called<draft> && !can_be_called<draft const> && !can_be_called<frozen const>);
static_assert(can_be_frozen<draft> && can_be_frozen<draft&> && can_be_frozen<digraph<std::unique_ptr<int>>>);
static_assert(!can_be_frozen<digraph<std::unique_ptr<int>>&>);
static_assert(has_value_of<frozen, vertex_id> && !has_value_of<frozen, draft_vertex_id>);
static_assert(!std::invocable<pipeline<transitive_reduction> const&, frozen const&>);
static_assert(std::invocable<pipeline<transitive_reduction> const&, draft>);
static_assert(!std::invocable<pipeline<single_root<std::less<>>> const&, draft>);  // not a policy

// Arrays of results are contiguous views, which convert to `std::span`.
template <class R, class T>
constexpr bool is_array = is_view<R> && is_sized<R> && std::ranges::contiguous_range<R const>
    && ranges::contiguous_range<R const> && std::convertible_to<R, std::span<T const>>;
using components = component_list<draft_vertex_id>;
static_assert(is_array<decltype(std::declval<components const&>()[0]), draft_vertex_id>);
static_assert(std::same_as<decltype(strong_components(std::declval<draft const&>())[0]), std::vector<draft_vertex_id>>);
static_assert(has_random_access<components> && is_sized<components>);
static_assert(is_array<decltype(std::declval<walk_report const&>().not_done()), walk_report::entry>);

using values_read = dependency_values<std::string>;
static_assert(is_view<values_read> && is_sized<values_read> && has_random_access<values_read>);
static_assert(std::same_as<std::ranges::range_reference_t<values_read>, std::string const&>);
static_assert(is_view<decltype(std::declval<values_read const&>().vertices())>);

static_assert(std::ranges::forward_range<vertex_set const> && is_sized<vertex_set>);
static_assert(std::same_as<std::ranges::range_value_t<vertex_set>, vertex_id>);
static_assert(ranges::forward_range<vertex_set const>);
static_assert(has_random_access<vertex_map<int>> && is_sized<vertex_map<int>>);
static_assert(std::ranges::output_range<vertex_map<int>, int>);

// A part and a reverse list all edges, as a dag does; what must be counted has no size.
constexpr auto kept = [](vertex_id) { return true; };
using part = filtered_graph<frozen, decltype(kept)>;
using part_edges = decltype(std::declval<part const&>() | views::edges);
using part_row = decltype(std::declval<part const&>() | views::dependencies(vertex_id()));
using reverse_edges = decltype(std::declval<reverse_graph<frozen> const&>() | views::edges);
static_assert(is_view<part_edges> && is_borrowed<part_edges> && !ranges::sized_range<part_edges>);
static_assert(is_view<part_row> && is_borrowed<part_row> && !ranges::sized_range<part_row>);
static_assert(is_view<reverse_edges> && is_borrowed<reverse_edges> && is_sized<reverse_edges>);

// Views of temporaries would dangle.
template <class G>
concept gives_rows = requires(G&& g, vertex_id_t<G> v) { std::forward<G>(g).dependencies(v); };
template <class G>
concept gives_vertices = requires(G&& g) { std::forward<G>(g).vertices(); };
template <class G>
concept gives_edges = requires(G&& g) { std::forward<G>(g).edges(); };
static_assert(gives_rows<draft&> && gives_rows<frozen const&> && gives_edges<part const&>);
static_assert(!gives_rows<draft> && !gives_rows<frozen> && !gives_rows<frozen const> && !gives_rows<part>);
static_assert(!gives_vertices<draft> && !gives_vertices<frozen> && !gives_edges<draft> && !gives_edges<part>);
static_assert(gives_rows<reverse_graph<frozen>> && gives_edges<reverse_graph<frozen>>);  // refers to the original only
static_assert(std::same_as<decltype((transitive_reduction{} | transitive_reduction{}).stages()),
    std::tuple<transitive_reduction, transitive_reduction>>);

// A graph that computes its values is none: a reference to a value would refer to a temporary.
struct computed_values : frozen {
    using value_type = std::string;
    auto operator[](vertex_id) const -> std::string { return {}; }
};
struct computed_lengths : frozen {
    using value_type = long;
    auto operator[](vertex_id) const -> int const&
    {
        static int const one = 1;
        return one;
    }
};
static_assert(!directed_graph<computed_values> && !directed_graph<computed_lengths>);
static_assert(acyclic_graph<dag<int>>);
struct derived_dag : frozen {};
static_assert(acyclic_graph<derived_dag>);

// Constraints state what the functions need.
template <class G, class P>
concept can_be_filtered = requires(G const& g, P predicate) { filtered(g, predicate); };
constexpr auto counts = [n = 0](vertex_id) mutable { return ++n % 2 == 0; };
static_assert(
    can_be_filtered<frozen, decltype(kept)> && !can_be_filtered<frozen, std::remove_const_t<decltype(counts)>>);
using pointers = dag<std::unique_ptr<int>>;
static_assert(
    can_be_frozen<pointers> && !can_be_frozen<pointers&> && !can_be_frozen<filtered_graph<pointers, decltype(kept)>>);
template <class G>
concept can_be_written = requires(G const& g) { to_text(g); };
template <class G>
concept can_be_drawn = requires(G const& g) { to_dot(g); };
static_assert(can_be_written<frozen> && !can_be_written<dag<int>> && can_be_drawn<frozen> && !can_be_drawn<dag<int>>);
template <class G, class Starts>
concept can_start_at = requires(G const& g, Starts& starts) { g | views::depth_first(starts); };
template <class G, class Starts>
concept can_be_searched_from = requires(G const& g, Starts& starts) { views::depth_first(g, starts); };
static_assert(can_start_at<frozen, std::vector<vertex_id>> && can_start_at<frozen, vertex_id>);
static_assert(!can_start_at<frozen, std::vector<int>> && !can_start_at<frozen, std::vector<draft_vertex_id>>);
static_assert(can_be_searched_from<frozen, vertex_set> && !can_be_searched_from<frozen, std::vector<int>>);
template <class G, class Component>
concept can_be_nontrivial = requires(G const& g, Component const& component) { is_nontrivial(g, component); };
static_assert(can_be_nontrivial<frozen, vertex_set> && !can_be_nontrivial<frozen, std::vector<int>>);
template <class V, class R>
concept takes_values = requires(digraph<V> g, R&& values) { g.add_vertices(std::forward<R>(values)); };
using many_pointers = std::vector<std::unique_ptr<int>>;
static_assert(takes_values<std::unique_ptr<int>, many_pointers> && !takes_values<std::unique_ptr<int>, many_pointers&>);

// Sets and maps are compared; a stage may have constant members.
static_assert(std::equality_comparable<vertex_set> && std::equality_comparable<vertex_map<int>>);
struct no_equality {};
static_assert(!std::equality_comparable<vertex_map<no_equality>>);
struct constant_naming {
    std::string const& prefix;
    auto name(std::string const&) const -> std::string { return prefix; }
    auto reason(std::string const&, std::string const&, edge_origin) const -> std::string { return {}; }
};
static_assert(transformer<cycle_validation<constant_naming>>);
static_assert(
    std::is_copy_assignable_v<draft> && std::is_copy_assignable_v<frozen> && std::is_nothrow_move_assignable_v<frozen>);

// Adaptors of both libraries accept the ranges that graphs return.
constexpr auto any = [](auto) { return true; };
static_assert(std::ranges::view<decltype(std::declval<draft_row>() | std::views::filter(any))>);
static_assert(ranges::view_<decltype(std::declval<draft_row>() | ranges::views::filter(any))>);
static_assert(std::ranges::view<decltype(std::declval<frozen_vertices>() | std::views::transform(any))>);
static_assert(ranges::view_<decltype(std::declval<frozen_vertices>() | ranges::views::transform(any))>);
static_assert(std::ranges::view<decltype(std::declval<vertex_set const&>() | std::views::filter(any))>);
static_assert(ranges::view_<decltype(std::declval<vertex_set const&>() | ranges::views::filter(any))>);

// Ids of different kinds of graphs cannot be mixed.
static_assert(!std::convertible_to<draft_vertex_id, vertex_id> && !std::constructible_from<vertex_id, draft_vertex_id>);
static_assert(!std::equality_comparable_with<draft_vertex_id, vertex_id>);
static_assert(std::same_as<vertex_id_t<draft>, draft_vertex_id> && std::same_as<vertex_id_t<frozen>, vertex_id>);
static_assert(std::same_as<decltype(std::declval<frozen const&>().source(vertex_id())), draft_vertex_id>);
static_assert(sizeof(vertex_id) == 4 && std::is_trivially_copyable_v<vertex_id>);

}  // namespace
