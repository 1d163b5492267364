// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_JSON_STREAM_HPP
#define IACCTL_UI_JSON_STREAM_HPP

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

namespace iacctl::ui {

/// What `plan -json` and `apply -json` print: one JSON object a line, as things happen.
///
/// Any number of threads may use it at once.
/// \source Terraform, "Machine-readable UI", version 1.2
class json_stream {
public:
    /// \param now  the time that lines are stamped with: RFC 3339, UTC
    json_stream(std::ostream& to, std::function<std::string()> now) : to_(to), now_(std::move(now)) {}

    void version(std::string_view terraform_version);
    void event(infra::event<language::value> const& of);
    /// Drift, changes, their sum, and outputs.
    void plan(plan_view const& of);
    void diagnostic(infra::diagnostic const& of);
    void applied(apply_counts const& of, bool destroyed);
    void outputs(std::vector<output_view> const& all);

    /// A line of any type: `content` is the JSON object of its type.
    void message(std::string_view type, std::string_view text, std::string_view content);

    /// The members that say which run of which test file a line is about; each may be empty.
    struct test_place {
        std::string_view file;
        std::string_view run;
    };
    /// A line about tests: `content` is the JSON object of its type.
    void test(
        std::string_view type, std::string_view message, std::string_view content, test_place of, bool error = false);
    void diagnostic(infra::diagnostic const& of, test_place in);

private:
    // `members`: what the line has beside its message, without the braces.
    void line(std::string_view level, std::string_view message, std::string_view members);
    void change(change_view const& of, bool drifted);
    void invocation(action_view const& of);
    void action_event(infra::event<language::value> const& of);

    std::ostream& to_;
    std::function<std::string()> now_;
    std::mutex mutex_;
};

}  // namespace iacctl::ui

#endif  // IACCTL_UI_JSON_STREAM_HPP
