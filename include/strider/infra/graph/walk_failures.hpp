// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_WALK_FAILURES_HPP
#define STRIDER_INFRA_GRAPH_WALK_FAILURES_HPP

#include <strider/infra/model/diagnostics.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace strider::infra::detail {

[[nodiscard]] inline auto is_bad_alloc(std::exception_ptr const& thrown) -> bool
{
    try {
        std::rethrow_exception(thrown);
    } catch (std::bad_alloc const&) {
        return true;
    } catch (...) {
        return false;
    }
}

/// Adds a diagnostic per vertex whose visit ended with an exception, and one for an exception outside of visits, which
/// ended the walk. All `std::bad_alloc` share one diagnostic.
/// \param code     its arguments are the name of the vertex and the message of the exception
/// \param name_of  returns the name of a vertex
template <class Name>
void append_walk_failures(diagnostics& problems, walk_report const& report, engine_code code, Name name_of)
{
    auto const add = [&](std::exception_ptr const& thrown, diagnostic otherwise) {
        problems.add(is_bad_alloc(thrown) ? make_error(codes::out_of_memory) : std::move(otherwise));
    };
    for (vertex_id const v : report.root_causes()) {
        auto const thrown = report[v].exception();
        if (!thrown) continue;
        std::string const name = name_of(v);
        add(thrown, make_error(code, {name, report[v].message()}, name));
    }
    if (report.exception()) add(report.exception(), make_error(code, {"the graph", report.error().message()}));
    problems.keep_first(codes::out_of_memory);
}

}  // namespace strider::infra::detail

#endif  // STRIDER_INFRA_GRAPH_WALK_FAILURES_HPP
