// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_STATE_TEXT_HPP
#define IACCTL_UI_STATE_TEXT_HPP

#include "state_view.hpp"
#include "text_style.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::ui {

/// What `show` prints of the state: every object, then the outputs.
[[nodiscard]] std::string state_text(state_view const& of, text_options const& options = {});
/// What `show` prints where there is no state at all.
[[nodiscard]] std::string no_state_text();

/// What `state show ADDRESS` prints.
[[nodiscard]] std::string resource_text(resource_view const& of, text_options const& options = {});
/// What `state list` prints: one line per instance, in the order in which addresses are shown.
[[nodiscard]] std::string state_list_text(std::vector<resource_view> const& of);

/// A value as an expression of the language: what `output` and `console` print. Lines after the first are indented.
[[nodiscard]] std::string value_text(language::value const& of, std::size_t indent = 0);
/// The output of `output`: `name = value` by name, `<sensitive>` for sensitive values, unless these are shown too.
[[nodiscard]] std::string outputs_text(std::vector<output_view> outputs, bool show_sensitive = false);
/// What `output NAME` prints: the value, be it sensitive or not, since it was asked for.
[[nodiscard]] std::string output_text(output_view const& of);
/// What `output -raw NAME` prints, without a line break; only texts, numbers and bools can be.
[[nodiscard]] infra::expected<std::string> raw_output_text(output_view const& of);

/// What `output` says where there are no outputs, and where there is none of that name.
[[nodiscard]] infra::diagnostic no_outputs_warning();
[[nodiscard]] infra::diagnostic no_such_output_error(std::string_view name, std::vector<output_view> const& all);

}  // namespace iacctl::ui

#endif  // IACCTL_UI_STATE_TEXT_HPP
