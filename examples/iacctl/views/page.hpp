// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_PAGE_HPP
#define IACCTL_VIEWS_PAGE_HPP

#include "graph_view.hpp"
#include "plan_view.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace iacctl::views {

/// The times of an operation of an apply, in seconds since its begin.
struct timed_visit {
    enum class end_type : std::uint8_t { done, failed, running };

    std::size_t vertex = 0;  ///< index in the graph
    double ready = 0;        ///< the time when its dependencies had ended
    double start = 0;
    double end = 0;
    end_type result = end_type::done;
};

/// A finished apply.
struct run_view {
    double seconds = 0;
    bool failed = false;
    std::vector<timed_visit> visits;
    std::size_t limit = 0;  ///< operations at once; 0: unknown
    infra::diagnostics problems{};  ///< errors and warnings of the apply, with texts
};

/// A graph, a plan or an apply, for display in a browser.
struct page_view {
    std::string project{};  ///< name of the directory of the configuration; empty: unknown
    std::string workspace;
    graph_view graph;
    std::vector<double> seconds;   ///< of vertices, recorded or expected; empty: unknown
    std::optional<plan_view> plan{};
    std::set<std::vector<infra::module_step>> unchanged{};  ///< modules with objects that the plan does not change
    std::optional<run_view> run{};
    std::string back{};  ///< the address of the page that links to this one; empty: none
};

/// The data of the page as JSON. It contains no sensitive values.
///
/// Changes are sorted by risk: destroyed objects, replacements, forgotten objects, updates, creations, reads. Vertices,
/// edges and changes refer to one another, and to texts, by index.
[[nodiscard]] auto page_data(page_view const& view) -> std::string;

/// The attributes of two objects of a type, either of which may be null, as the rows of a page: a JSON list. Those that
/// are equal are left out, and sensitive values are replaced.
[[nodiscard]] auto attributes_json(
    language::value const& before, language::value const& after, resource_schema const* schema) -> std::string;

/// A self-contained page, without other files or a network.
[[nodiscard]] auto page_text(page_view const& view) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PAGE_HPP
