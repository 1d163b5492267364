// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_CYCLE_VALIDATION_HPP
#define STRIDER_TRANSFORM_CYCLE_VALIDATION_HPP

#include <strider/algorithm/find_cycle.hpp>
#include <strider/algorithm/strong_components.hpp>
#include <strider/core/vertex_naming.hpp>
#include <strider/transform/transformer.hpp>

#include <concepts>
#include <string>
#include <utility>
#include <vector>

namespace strider {

/// Reports the cycles of a graph as an error. Every pipeline of the library ends with this stage.
///
/// The error has one report per strong component: its members, and a short cycle with the reason of every edge, which
/// shows the dependencies that can be changed.
///
/// \complexity O(V + E), and for each cycle that of `find_cycles`.
/// \return graph_errc::cycle with `cycles()`.
template <class Naming = default_naming>
class cycle_validation : public transformer_base {
public:
    using establishes = property_list<properties::acyclic>;  ///< a graph with a cycle is an error

    cycle_validation()
        requires std::default_initializable<Naming>
    = default;
    /// Stores the policy that names vertices and reasons in reports.
    constexpr explicit cycle_validation(Naming naming) : naming_(std::move(naming)) {}

    /// Returns `g` unchanged, or one report per strong component with a cycle. The error has no `path()`.
    template <mutable_digraph G>
        requires naming_policy<Naming, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        component_list const components = strong_components(g);
        std::vector<cycle_report> reports;
        detail::each_cycle(g, components, {}, [&](std::vector<edge_t<G>> const& path) {
            auto const members = components[components.of(path.front().dependent)];
            reports.push_back(report_cycle(g, members, path, naming_));
        });
        if (reports.empty()) return g;
        std::string message = to_string(reports);
        return graph_error(graph_errc::cycle, std::move(message), std::move(reports));
    }

private:
    [[no_unique_address]] Naming naming_{};
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_CYCLE_VALIDATION_HPP
