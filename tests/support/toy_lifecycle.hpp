// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_TOY_LIFECYCLE_HPP
#define STRIDER_TESTS_SUPPORT_TOY_LIFECYCLE_HPP

#include <strider/lifecycle.hpp>

#include "support/graph_text.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A lifecycle of plain strings: a vertex is "a create", "a update", "a replace", "a destroy", "a keep" or a value like
/// "local". After the split "a replace" reads "a create". An object whose verb carries "cbd-" is create_before_destroy.
namespace strider::test {

[[nodiscard]] inline auto key_of(std::string_view vertex) -> std::string
{
    return std::string(vertex.substr(0, vertex.find(' ')));
}
[[nodiscard]] inline auto verb_of(std::string_view vertex) -> std::string_view
{
    auto const blank = vertex.find(' ');
    return blank == std::string_view::npos ? std::string_view() : vertex.substr(blank + 1);
}
[[nodiscard]] inline auto is_cbd(std::string_view vertex) -> bool
{
    return verb_of(vertex).starts_with("cbd-");
}
[[nodiscard]] inline auto plain_verb(std::string_view vertex) -> std::string_view
{
    auto const verb = verb_of(vertex);
    return verb.starts_with("cbd-") ? verb.substr(4) : verb;
}

/// The name of a vertex in the figures.
inline constexpr auto figure_name = [](std::string const& vertex) -> std::string {
    auto const verb = plain_verb(vertex);
    if (verb.empty()) return vertex;
    return key_of(vertex) + " " + std::string(verb == "replace" ? "create" : verb);
};

/// A policy for strings without recorded dependencies: the order follows the edges of the input.
struct forgetful_toy {
    [[nodiscard]] auto creates(std::string const& v) const -> bool
    {
        auto const verb = plain_verb(v);
        return verb == "create" || verb == "update" || verb == "replace";
    }
    [[nodiscard]] auto remains(std::string const& v) const -> bool { return plain_verb(v) != "destroy"; }
    [[nodiscard]] auto destroyers(std::string const& v) const -> std::vector<std::string>
    {
        auto const verb = plain_verb(v);
        if (verb != "replace" && verb != "destroy") return {};
        return {key_of(v) + (is_cbd(v) ? " cbd-destroy" : " destroy")};
    }
    [[nodiscard]] auto key(std::string const& v) const -> std::string { return key_of(v); }
    [[nodiscard]] auto ordered(std::string const&, std::string const&) const -> ordering { return ordering::required; }

    [[nodiscard]] auto can_create_before_destroy(std::string const& v) const -> bool { return !verb_of(v).empty(); }
    [[nodiscard]] auto creates_before_destroy(std::string const& v) const -> bool { return is_cbd(v); }
    void force_create_before_destroy(std::string& v, std::string const&) const
    {
        v = key_of(v) + " cbd-" + std::string(plain_verb(v));
    }

    [[nodiscard]] auto is_creator(std::string const& v) const -> bool { return creates(v); }
    [[nodiscard]] auto is_destroyer(std::string const& v) const -> bool { return plain_verb(v) == "destroy"; }
    [[nodiscard]] auto destroys_after_create(std::string const& v) const -> bool { return is_cbd(v); }

    [[nodiscard]] auto name(std::string const& v) const -> std::string { return figure_name(v); }
    [[nodiscard]] auto reason(std::string const&, std::string const& dependency, edge_origin origin) const
        -> std::string
    {
        if (origin.made_by() == edge_rules::cbd_inversion) return "create_before_destroy";
        (void)dependency;
        return std::string(to_string(origin.made_by()));
    }
};

/// The same with the recorded dependencies of each object.
struct remembering_toy : forgetful_toy {
    std::map<std::string, std::vector<std::string>> stored;

    explicit remembering_toy(std::string_view text)
    {
        auto const g = graph(text);
        for (auto const v : g.vertices())
            for (auto const d : g.dependencies(v)) stored[g[v]].push_back(g[d]);
    }
    [[nodiscard]] auto stored_dependencies(std::string const& v) const -> std::vector<std::string>
    {
        auto const found = stored.find(key_of(v));
        return found == stored.end() ? std::vector<std::string>{} : found->second;
    }
};

/// Reads a draft. The words of a vertex are joined by `-`: "b-replace: a-replace".
[[nodiscard]] inline auto draft(std::string_view text) -> text_graph
{
    text_graph g = graph(text);
    for (auto const v : g.vertices())
        if (auto const dash = g[v].find('-'); dash != std::string::npos) g[v][dash] = ' ';
    return g;
}

/// Names of all vertices in a topological order, if there is one.
[[nodiscard]] inline auto order(text_graph const& g) -> std::vector<std::string>
{
    std::vector<std::string> names;
    if (auto const sorted = topological_order(g); sorted)
        for (auto const v : *sorted) names.push_back(figure_name(g[v]));
    return names;
}

/// Returns whether `first` ends before `second` begins in every walk.
[[nodiscard]] inline auto before(text_graph const& g, std::string_view first, std::string_view second) -> bool
{
    auto const a = find(g, first, figure_name);
    auto const b = find(g, second, figure_name);
    return a && b && has_path(g, b, a);
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_TOY_LIFECYCLE_HPP
