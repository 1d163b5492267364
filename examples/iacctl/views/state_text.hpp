// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_STATE_TEXT_HPP
#define IACCTL_VIEWS_STATE_TEXT_HPP

#include "base/expected.hpp"
#include "state_view.hpp"
#include "text_style.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::views {

/// The output of `show` for the state: every object, then the outputs.
[[nodiscard]] std::string state_text(state_view const& of, text_options const& options = {});
/// The output of `show` without a state.
[[nodiscard]] std::string no_state_text();

/// The output of `state show ADDRESS`.
[[nodiscard]] std::string resource_text(resource_view const& of, text_options const& options = {});
/// The output of `state list`: one line per instance, in the order of `shown_before`.
[[nodiscard]] std::string state_list_text(std::vector<resource_view> const& of);

/// A value as an expression of the language, for `output` and `console`. Lines after the first are indented.
[[nodiscard]] std::string value_text(language::value const& of, std::size_t indent = 0);
/// The output of `output`: `name = value`, sorted by name; `<sensitive>` for sensitive values unless `show_sensitive`.
[[nodiscard]] std::string outputs_text(std::vector<output_view> outputs, bool show_sensitive = false);
/// The output of `output NAME`: the value, even if it is sensitive.
[[nodiscard]] std::string output_text(output_view const& of);
/// The output of `output -raw NAME`, without a line break; an error for values other than texts, numbers and bools.
[[nodiscard]] expected<std::string> raw_output_text(output_view const& of);

/// The warning and the error of `output` if there are no outputs, and if there is none with that name.
[[nodiscard]] infra::diagnostic no_outputs_warning();
[[nodiscard]] infra::diagnostic no_such_output_error(std::string_view name, std::vector<output_view> const& all);

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_STATE_TEXT_HPP
