// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_JSON_STREAM_HPP
#define IACCTL_VIEWS_JSON_STREAM_HPP

#include "plan_view.hpp"
#include "progress.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/event.hpp>

#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::views {

/// The output of `plan -json` and `apply -json`: one JSON object per line, in the order of events.
///
/// Thread-safe.
/// \source Terraform, "Machine-readable UI", version 1.2
class json_stream {
public:
    /// \param now  returns the time stamp of a line: RFC 3339
    json_stream(std::ostream& to, std::function<std::string()> now) : to_(to), now_(std::move(now)) {}

    void version(std::string_view terraform_version);
    void event(infra::event<language::value> const& e);
    /// Writes drift, changes, the change summary, and outputs.
    void plan(plan_view const& view);
    /// Writes the changes of a saved plan that an apply carries out.
    void planned_changes(plan_view const& plan);
    void diagnostic(infra::diagnostic const& problem);
    void applied(apply_counts const& counts, bool destroyed);
    void outputs(std::vector<output_view> const& all);

    /// Writes a line about a step of `init`.
    /// \param code  Terraform's message code of the step; empty: the line is a detail of a step
    void step(std::string_view text, std::string_view code);

    /// Writes a line of any type. \param content  the JSON object of that type
    void message(std::string_view type, std::string_view text, std::string_view content);

    /// The members that name the test file and run of a line; each may be empty.
    struct test_place {
        std::string_view file;
        std::string_view run;
    };
    /// Writes a line about tests. \param content  the JSON object of its type
    void test(std::string_view type, std::string_view message, std::string_view content, test_place place,
        bool error = false);
    void diagnostic(infra::diagnostic const& problem, test_place in);

private:
    // \param members  the members of the line other than its message, without braces
    void line(std::string_view level, std::string_view message, std::string_view members);
    void change(change_view const& view, bool drifted);
    void invocation(action_view const& view);
    void action_event(infra::event<language::value> const& e);

    std::ostream& to_;
    std::function<std::string()> now_;
    std::mutex mutex_;
};

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_JSON_STREAM_HPP
