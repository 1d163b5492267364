// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_ERROR_HPP
#define STRIDER_CORE_ERROR_HPP

#include <strider/core/edge.hpp>

#include <boost/system/error_category.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/is_error_code_enum.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// Errors of graphs and of their transformations.
enum class graph_errc : std::uint8_t {
    cycle = 1,          ///< vertices that depend on one another
    unknown_vertex,     ///< a key or an id that the graph does not have
    duplicate_vertex,   ///< two vertices with one key
    invalid_value,      ///< a value that a rule does not support
};

}  // namespace strider

/// \cond
template <>
struct boost::system::is_error_code_enum<strider::graph_errc> : std::true_type {};
/// \endcond

namespace strider {

/// The category of `graph_errc`.
[[nodiscard]] inline auto graph_category() noexcept -> boost::system::error_category const&
{
    class category final : public boost::system::error_category {
    public:
        [[nodiscard]] auto name() const noexcept -> char const* override { return "strider.graph"; }
        [[nodiscard]] auto message(int value) const -> std::string override
        {
            switch (static_cast<graph_errc>(value)) {
            case graph_errc::cycle: return "the graph has a cycle";
            case graph_errc::unknown_vertex: return "the graph does not have the vertex";
            case graph_errc::duplicate_vertex: return "two vertices have the same key";
            case graph_errc::invalid_value: return "a value is not supported";
            }
            return "unknown error";
        }
    };
    static category const instance;
    return instance;
}

/// Converts to an error code, so that a `graph_errc` is compared with error codes, stored in them and thrown.
[[nodiscard]] inline auto make_error_code(graph_errc code) noexcept -> boost::system::error_code
{
    return {static_cast<int>(code), graph_category()};
}

/// One edge of a path with the names of its ends. It does not refer to the graph.
struct path_step {
    std::string dependent;  ///< the name of the vertex that waits
    std::string dependency;  ///< the name of the next named vertex along the path
    std::string reason;  ///< the text of the naming policy for the origin of the edge; by default the name of its rule
};

/// A strongly connected component with a cycle: its members, and one cycle among them.
struct cycle_report {
    std::vector<std::string> members;  ///< the names of the vertices of the component; empty names are omitted
    std::vector<path_step> path;  ///< one cycle: the last step ends where the first one starts
};

/// The reason why a graph could not be built, rewritten or frozen.
///
/// For a cycle, `cycles()` contains the names of the vertices, one report per strong component examined; `path()` is
/// one cycle in ids of the graph, which is a draft: each edge starts where the previous one ends, along dependencies,
/// and the last edge ends where the first one starts. Copies share these; to copy an error never throws.
class graph_error {
public:
    /// An error without a message, with the code `invalid_value`.
    graph_error() = default;
    /// An error that is not about a cycle: `path()` and `cycles()` are empty.
    graph_error(graph_errc code, std::string message) : graph_error(code, details{std::move(message), {}, {}}) {}
    /// The error of one cycle, with the ids of its edges. \param cycles  the same cycle by names
    graph_error(
        graph_errc code, std::string message, std::vector<draft_edge> path, std::vector<cycle_report> cycles = {})
        : graph_error(code, details{std::move(message), std::move(path), std::move(cycles)})
    {}
    /// The error of several cycles, by names only: `path()` is empty.
    graph_error(graph_errc code, std::string message, std::vector<cycle_report> cycles)
        : graph_error(code, details{std::move(message), {}, std::move(cycles)})
    {}

    /// The kind of the error; programs compare it instead of the message.
    [[nodiscard]] auto code() const noexcept -> graph_errc { return code_; }
    // Overloads for temporaries, such as `result<T>::error()` returns, return values: no reference dangles.
    /// The error in words, of a long cycle only a part; not a stable text. A temporary returns it by value.
    /// @{
    [[nodiscard]] auto message() const& noexcept -> std::string const& { return texts().message; }
    [[nodiscard]] auto message() && -> std::string { return texts().message; }
    /// @}
    /// One cycle as edges; empty if the error is not about a cycle or names its vertices only.
    /// @{
    [[nodiscard]] auto path() const& noexcept -> std::vector<draft_edge> const& { return texts().path; }
    [[nodiscard]] auto path() && -> std::vector<draft_edge> { return texts().path; }
    /// @}
    /// One report per strong component examined; empty if the error is not about a cycle.
    /// @{
    [[nodiscard]] auto cycles() const& noexcept -> std::vector<cycle_report> const& { return texts().cycles; }
    [[nodiscard]] auto cycles() && -> std::vector<cycle_report> { return texts().cycles; }
    /// @}

private:
    struct details {
        std::string message;
        std::vector<draft_edge> path;
        std::vector<cycle_report> cycles;
    };

    graph_error(graph_errc code, details all) : details_(std::make_shared<details const>(std::move(all))), code_(code)
    {}

    [[nodiscard]] auto texts() const noexcept -> details const&
    {
        static details const none;
        return details_ ? *details_ : none;
    }

    std::shared_ptr<details const> details_;  // shared by copies, so that a copy never throws
    graph_errc code_ = graph_errc::invalid_value;
};

/// Returns the code of the error, for a function that reports a `boost::system::error_code`.
[[nodiscard]] inline auto make_error_code(graph_error const& error) noexcept -> boost::system::error_code
{
    return make_error_code(error.code());
}

}  // namespace strider

#endif  // STRIDER_CORE_ERROR_HPP
