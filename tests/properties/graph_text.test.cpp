// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/graph_text.hpp>
#include <strider/core.hpp>

#include <support/property.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using test::any_edges;

// Names with all characters that the text must quote, some of several bytes, and the empty name.
auto draw_names(std::size_t count) -> std::set<std::string>
{
    auto const special = rc::gen::element<std::string>(
        "", " ", ":", "\"", "\\", "#", "\n", "\r\n", "\t", "\\n", "\\x41", "é", "日本", std::string(1, '\0'), "\x7f");
    auto const part = rc::gen::oneOf(special, rc::gen::arbitrary<std::string>());
    std::set<std::string> names;
    while (names.size() < count) names.insert(*part + *part + (names.empty() ? "" : std::to_string(names.size())));
    return names;
}

STRIDER_PROPERTY(GraphTextLaw, ReadsWhatIsWritten, (any_edges const& drawn))
{
    auto const names = draw_names(drawn.count);
    auto const g = make_digraph(names, drawn.edges).value();

    auto const read = read_text(to_text(g).value()).value();

    STRIDER_LAW(read.vertex_count() == g.vertex_count());
    STRIDER_LAW(read.edge_count() == g.edge_count());
    for (auto const v : g.vertices()) {
        STRIDER_LAW(read[v] == g[v]);
        for (auto const d : g.dependencies(v)) STRIDER_LAW(read.has_edge(v, depends_on(d)));
    }
    STRIDER_LAW(to_text(read).value() == to_text(g).value());
}

STRIDER_PROPERTY(GraphTextLaw, ReadsOrRejectsAnyText, (std::string const& text))
{
    auto const read = read_text(text);

    if (read) STRIDER_LAW(to_text(read_text(to_text(*read).value()).value()).value() == to_text(*read).value());
    else STRIDER_LAW(read.error().code() != graph_errc::cycle && read.error().message().starts_with("line "));
}

}  // namespace
