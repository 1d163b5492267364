// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_ERROR_HPP
#define STRIDER_CORE_ERROR_HPP

#include <strider/core/edge.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace strider {

enum class graph_errc : std::uint8_t {
    cycle = 1,          ///< vertices that wait for one another
    unknown_vertex,     ///< a key or an id that the graph does not have
    duplicate_vertex,   ///< two vertices with one key
    invalid_value,      ///< a value that a rule cannot work with
};

/// One edge of a path with the names of its ends: it can be read when the graph is gone.
struct path_step {
    std::string dependent;
    std::string dependency;
    std::string reason;
};

/// A strongly connected component that should not be there: who takes part, and one way around.
struct cycle_report {
    std::vector<std::string> members;
    std::vector<path_step> path;
};

/// Tells why a graph could not be built, rewritten or frozen.
///
/// For a cycle `cycles()` names the vertices, one report for each strong component that is looked at; `path()` is one cycle
/// by the ids of the graph, which is a draft: from edge to edge along dependencies, it ends where it began.
class graph_error {
public:
    graph_error() = default;
    graph_error(graph_errc code, std::string message) : message_(std::move(message)), code_(code) {}
    graph_error(
        graph_errc code, std::string message, std::vector<draft_edge> path, std::vector<cycle_report> cycles = {})
        : message_(std::move(message)),
          path_(std::move(path)),
          cycles_(std::move(cycles)),
          code_(code)
    {}
    graph_error(graph_errc code, std::string message, std::vector<cycle_report> cycles)
        : message_(std::move(message)),
          cycles_(std::move(cycles)),
          code_(code)
    {}

    [[nodiscard]] auto code() const noexcept -> graph_errc { return code_; }
    // Of a temporary, such as `result<T>::error()` gives, they return the thing itself: nothing dangles.
    [[nodiscard]] auto message() const& noexcept -> std::string const& { return message_; }
    [[nodiscard]] auto message() && noexcept -> std::string { return std::move(message_); }
    [[nodiscard]] auto path() const& noexcept -> std::vector<draft_edge> const& { return path_; }
    [[nodiscard]] auto path() && noexcept -> std::vector<draft_edge> { return std::move(path_); }
    [[nodiscard]] auto cycles() const& noexcept -> std::vector<cycle_report> const& { return cycles_; }
    [[nodiscard]] auto cycles() && noexcept -> std::vector<cycle_report> { return std::move(cycles_); }

private:
    std::string message_;
    std::vector<draft_edge> path_;
    std::vector<cycle_report> cycles_;
    graph_errc code_ = graph_errc::invalid_value;
};

}  // namespace strider

#endif  // STRIDER_CORE_ERROR_HPP
