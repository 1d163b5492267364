// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_GRAPH_TEXT_HPP
#define STRIDER_ALGORITHM_GRAPH_TEXT_HPP

#include <strider/core/digraph.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/range/primitives.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace strider {

namespace detail {

[[nodiscard]] inline auto is_control(char c) noexcept -> bool
{
    auto const byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}
// True if a name without quotes may contain the character.
[[nodiscard]] inline auto is_bare(char c) noexcept -> bool
{
    return c != ' ' && c != ':' && c != '"' && !is_control(c);
}

[[nodiscard]] inline auto escaped(char c) -> std::string
{
    constexpr std::string_view digits = "0123456789abcdef";
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') return {'\\', c};
    if (c == '\n') return "\\n";
    if (c == '\t') return "\\t";
    if (is_control(c)) return {'\\', 'x', digits[byte / 16U], digits[byte % 16U]};
    return {c};
}

// The name in quotes for a message, of a long name the first part.
[[nodiscard]] inline auto shown_name(std::string_view name) -> std::string
{
    std::size_t size = std::min<std::size_t>(name.size(), 80);
    while (size < name.size() && size > 0 && (static_cast<unsigned char>(name[size]) & 0xc0U) == 0x80) --size;  // UTF-8
    std::string shown = "\"";
    for (char const c : name.substr(0, size)) shown += escaped(c);
    return shown += size < name.size() ? "…\"" : "\"";
}

// A place in a text; both numbers begin at 1, and columns count bytes.
struct text_place {
    std::size_t line = 1;
    std::size_t column = 1;
};

[[nodiscard, gnu::cold]] inline auto error_at(text_place place, graph_errc code, std::string const& problem)
    -> graph_error
{
    return graph_error(
        code, "line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " + problem);
}

struct scanned_name {
    std::string text;
    text_place place;
};

// Reads names and colons, line by line.
class name_scanner {
public:
    explicit name_scanner(std::string_view text) : text_(text) { skip_blanks(); }

    [[nodiscard]] auto is_at_end() const noexcept -> bool { return at_ == text_.size(); }
    // True if nothing but a comment is left of the line.
    [[nodiscard]] auto is_at_end_of_line() const noexcept -> bool { return is_at_end() || text_[at_] == '\n'; }
    // Continues with the next line. \pre is_at_end_of_line()
    void next_line()
    {
        if (is_at_end()) return;
        line_begin_ = ++at_;
        ++line_;
        skip_blanks();
    }
    [[nodiscard]] auto skip_colon() -> bool
    {
        if (is_at_end() || text_[at_] != ':') return false;
        ++at_;
        skip_blanks();
        return true;
    }
    // Reads a name. \param expected  describes the name in the error
    [[nodiscard]] auto name(std::string_view expected) -> result<scanned_name>
    {
        scanned_name read{{}, place()};
        if (text_[at_] == '"') {
            if (auto const closed = read_quoted(read.text); !closed) return closed.error();
        } else {
            auto const* const first = text_.data() + at_;
            auto const* const last = std::find_if_not(first, text_.data() + text_.size(), is_bare);
            read.text.assign(first, last);
            if (read.text.empty()) return unexpected(expected);
            at_ += read.text.size();
        }
        if (!is_at_end() && (text_[at_] == '"' || is_bare(text_[at_])))
            return unexpected("a blank, a colon or the end of the line");
        skip_blanks();
        return read;
    }

    // The error that something else was expected at the current place.
    [[nodiscard, gnu::cold]] auto unexpected(std::string_view expected) const -> graph_error
    {
        std::string problem = "expected ";
        problem.append(expected).append(", found ");
        if (is_at_end()) problem += "the end of the text";
        else if (text_[at_] == '\n') problem += "the end of the line";
        else if (static_cast<unsigned char>(text_[at_]) > 0x7f) problem += "a character of more than one byte";
        else problem += shown_name(text_.substr(at_, 1));
        return error_at(place(), graph_errc::invalid_value, problem);
    }

private:
    [[nodiscard]] auto place() const noexcept -> text_place { return {line_, at_ - line_begin_ + 1}; }

    // Also skips a comment. A carriage return is a blank, so lines may end as on Windows.
    void skip_blanks()
    {
        at_ = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
        if (!is_at_end() && text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    }

    [[nodiscard]] auto read_quoted(std::string& name) -> result<void>
    {
        for (++at_; !is_at_end() && !is_control(text_[at_]); ++at_) {
            if (text_[at_] == '"') {
                ++at_;
                return {};
            }
            if (text_[at_] != '\\') name += text_[at_];
            else if (!read_escape(name)) return unexpected(R"(one of \" \\ \n \t and \xHH)");
        }
        return unexpected("a closing quote");
    }
    // Leaves the position at the last character of the escape; in an error at the backslash.
    [[nodiscard]] auto read_escape(std::string& name) -> bool
    {
        constexpr std::string_view letters = "\"\\nt", meanings = "\"\\\n\t";
        std::string_view const rest = text_.substr(at_ + 1);
        if (rest.empty()) return false;
        if (auto const which = letters.find(rest.front()); which != std::string_view::npos) {
            name += meanings[which];
            ++at_;
            return true;
        }
        unsigned byte = 0;
        if (rest.size() < 3 || rest.front() != 'x') return false;
        auto const [end, error] = std::from_chars(rest.data() + 1, rest.data() + 3, byte, 16);
        if (error != std::errc() || end != rest.data() + 3) return false;
        name += static_cast<char>(byte);
        at_ += 3;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t line_begin_ = 0;
};

}  // namespace detail

/// Returns a name as `read_text` and `read_vertices` read it. It is in quotes if it is empty, begins with `#`, or contains
/// a blank, a control character, a colon or a quote; quotes, backslashes and control characters are then escaped:
/// `"a \"b\"\n"`.
[[nodiscard]] inline auto text_quoted(std::string_view name) -> std::string
{
    if (!name.empty() && name.front() != '#' && std::all_of(name.begin(), name.end(), detail::is_bare))
        return std::string(name);
    std::string quoted = "\"";
    for (char const c : name) quoted += detail::escaped(c);
    return quoted += '"';
}

namespace detail {

// The vertices of a graph by name.
template <class Id>
using vertices_by_name = std::map<std::string, Id, std::less<>>;

// \return graph_errc::duplicate_vertex if two vertices have one name
template <class G, class Name>
[[nodiscard]] auto index_names(G const& g, Name& name) -> result<vertices_by_name<vertex_id_t<G>>>
{
    vertices_by_name<vertex_id_t<G>> ids;
    for (auto const v : g.vertices())
        if (auto const [at, is_new] = ids.emplace(std::string_view(std::invoke(name, g[v])), v); !is_new)
            return graph_error(
                graph_errc::duplicate_vertex, "two vertices have the same name: " + shown_name(at->first));
    return ids;
}

}  // namespace detail

/// Writes a graph as a text that `read_text` reads, in pieces, to `sink(std::string_view)`.
///
/// Each vertex has a line: its name and, after a colon, the names of its dependencies, such as `program: main.o list.o`.
/// Vertices are in ascending id. Names are written as `text_quoted` returns them, origins of edges are not written.
/// \return graph_errc::duplicate_vertex if two vertices have one name; nothing is written then.
/// \complexity O((V + E) log V) comparisons of names
template <directed_graph G, std::invocable<std::string_view> Sink,
    detail::text_projection<vertex_value_t<G>> Name = std::identity>
[[nodiscard]] auto write_text(G const& g, Sink sink, Name name = {}) -> result<void>
{
    auto const names = detail::index_names(g, name);
    if (!names) return names.error();
    auto const quoted = [&](vertex_id_t<G> v) { return text_quoted(std::string_view(std::invoke(name, g[v]))); };
    for (auto const v : g.vertices()) {
        std::string line = quoted(v);
        if (!ranges::empty(g.dependencies(v))) line += ':';
        for (auto const d : g.dependencies(v)) line.append(" ").append(quoted(d));
        line += '\n';
        std::invoke(sink, std::string_view(line));
    }
    return {};
}

/// Returns a graph as a text. \see write_text
template <directed_graph G, detail::text_projection<vertex_value_t<G>> Name = std::identity>
[[nodiscard]] auto to_text(G const& g, Name name = {}) -> result<std::string>
{
    std::string text;
    auto const written = write_text(g, [&text](std::string_view line) { text += line; }, std::move(name));
    if (!written) return written.error();
    return text;
}

/// Reads a graph from a text in the form that `write_text` writes.
///
/// Every vertex has one line; a line may refer to later lines. Blanks separate names, `#` where a name could begin starts
/// a comment, and empty lines are ignored. A byte in a quoted name may be written as `\xHH`. A dependency that is listed twice
/// is added once. Bytes above 127 are part of names and not checked. The graph may have cycles, which `freeze` reports.
///
/// The origin of an edge is `edge_rules::reference`, with the number of the line as its place.
/// \return     graph_errc::invalid_value if the text has another form or more than 2^32 - 1 bytes, graph_errc::duplicate_vertex if a
///             name has two lines, graph_errc::unknown_vertex if a dependency has no line. The message begins with line and column, in bytes,
///             and states what is expected.
/// \complexity O(n log n) in the length of the text, and that of `digraph::add_edge` per dependency
[[nodiscard]] inline auto read_text(std::string_view text) -> result<digraph<std::string>>
{
    struct reference {
        draft_vertex_id dependent;
        detail::scanned_name dependency;
    };
    struct definition {
        draft_vertex_id vertex;
        std::size_t line;
    };
    if (text.size() > std::numeric_limits<std::uint32_t>::max())
        return graph_error(graph_errc::invalid_value, "the text of a graph has at most 4294967295 bytes");
    digraph<std::string> g;
    std::map<std::string, definition, std::less<>> definitions;
    std::vector<reference> references;
    for (detail::name_scanner line(text); !line.is_at_end(); line.next_line()) {
        if (line.is_at_end_of_line()) continue;
        auto name = line.name("the name of a vertex");
        if (!name) return name.error();
        auto const [at, is_new] = definitions.try_emplace(name->text);
        if (!is_new)
            return detail::error_at(name->place, graph_errc::duplicate_vertex,
                "the vertex " + detail::shown_name(name->text) + " already has line "
                    + std::to_string(at->second.line));
        at->second = {g.add_vertex(name->text), name->place.line};
        if (line.is_at_end_of_line()) continue;
        if (!line.skip_colon()) return line.unexpected("a colon or the end of the line");
        while (!line.is_at_end_of_line()) {
            auto dependency = line.name("the name of a dependency");
            if (!dependency) return dependency.error();
            references.push_back({at->second.vertex, std::move(*dependency)});
        }
    }
    for (auto const& [dependent, dependency] : references) {
        auto const found = definitions.find(dependency.text);
        if (found == definitions.end())
            return detail::error_at(dependency.place, graph_errc::unknown_vertex,
                "the vertex " + detail::shown_name(dependency.text)
                    + " has no line; expected the name of a vertex that has one");
        auto const place = static_cast<std::uint32_t>(dependency.place.line);
        g.add_edge(dependent, depends_on(found->second.vertex), edge_origin(edge_rules::reference, place));
    }
    return g;
}

/// Writes vertices of a graph by name, one on each line, in the form that `read_vertices` reads: for example those that another
/// process shall visit. \see text_quoted to write one name
/// \return graph_errc::duplicate_vertex if two vertices of the graph have one name
template <directed_graph G, vertex_range<vertex_id_t<G>> Vertices,
    detail::text_projection<vertex_value_t<G>> Name = std::identity>
[[nodiscard]] auto to_text(G const& g, Vertices&& vertices, Name name = {}) -> result<std::string>
{
    auto const names = detail::index_names(g, name);
    if (!names) return names.error();
    std::string text;
    for (vertex_id_t<G> const v : vertices)
        text.append(text_quoted(std::string_view(std::invoke(name, g[v])))).append("\n");
    return text;
}

/// Reads names of vertices, one on each line, and returns their ids in the graph, in the order of the text. Comments and empty
/// lines are ignored.
/// \return graph_errc::invalid_value if the text has another form, graph_errc::unknown_vertex if the graph does not have
///         a vertex with that name, graph_errc::duplicate_vertex if two vertices of the graph have one name.
template <directed_graph G, detail::text_projection<vertex_value_t<G>> Name = std::identity>
[[nodiscard]] auto read_vertices(std::string_view text, G const& g, Name name = {})
    -> result<std::vector<vertex_id_t<G>>>
{
    auto const ids = detail::index_names(g, name);
    if (!ids) return ids.error();
    std::vector<vertex_id_t<G>> vertices;
    for (detail::name_scanner line(text); !line.is_at_end(); line.next_line()) {
        if (line.is_at_end_of_line()) continue;
        auto const read = line.name("the name of a vertex");
        if (!read) return read.error();
        auto const found = ids->find(read->text);
        if (found == ids->end())
            return detail::error_at(
                read->place, graph_errc::unknown_vertex, "the graph has no vertex " + detail::shown_name(read->text));
        vertices.push_back(found->second);
        if (!line.is_at_end_of_line()) return line.unexpected("the end of the line");
    }
    return vertices;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_GRAPH_TEXT_HPP
