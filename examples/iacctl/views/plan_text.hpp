// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_PLAN_TEXT_HPP
#define IACCTL_VIEWS_PLAN_TEXT_HPP

#include "plan_view.hpp"
#include "text_style.hpp"

#include <iosfwd>
#include <string>
#include <string_view>

namespace iacctl::views {

/// The numbers of objects that a plan creates, changes and so on. A replacement counts as a creation and a destruction.
struct plan_counts {
    std::size_t add = 0;
    std::size_t change = 0;
    std::size_t destroy = 0;
    std::size_t forget = 0;
    std::size_t import = 0;
};

[[nodiscard]] auto counts_of(plan_view const& plan) -> plan_counts;

/// "1 to add, 0 to change, 2 to destroy.", with imports, forgotten objects and actions if the plan has some.
[[nodiscard]] auto counts_text(plan_view const& plan) -> std::string;

/// The output of `plan` and `show PLANFILE`: drift, legend, one block per change, counts, outputs. Ends with a line
/// break.
/// Diagnostics and `next_step_text` follow it.
[[nodiscard]] std::string plan_text(plan_view const& plan, text_options const& options = {});
/// Writes the same, part by part: that of many changes is large.
void write_plan_text(std::ostream& to, plan_view const& plan, text_options const& options = {});

/// The reason why a change is deferred, as a clause: "it depends on a deferred action".
[[nodiscard]] auto deferral_text(infra::deferral_reason why) -> std::string_view;

/// The text below a plan with changes: the files of the plan and of generated configuration (empty: none), and the next
/// command.
/// \param command  the next command without the file: "-chdir=DIR apply -state=FILE"
[[nodiscard]] std::string next_step_text(std::string_view saved_to, std::string_view generated_to = {},
    text_options const& options = {}, std::string_view command = "apply");

/// The prompt before an apply or a destroy; the cursor stays behind it.
[[nodiscard]] std::string approval_question(infra::plan_mode mode, text_options const& options = {});
/// The prompt for the value of a variable.
[[nodiscard]] std::string variable_question(
    std::string_view name, std::string_view description, text_options const& options = {});
/// The text after an answer other than "yes".
[[nodiscard]] auto approval_refused_text(infra::plan_mode mode) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_PLAN_TEXT_HPP
