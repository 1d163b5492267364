// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_STATE_TEXT_HPP
#define IACCTL_VIEWS_STATE_TEXT_HPP

#include "base/expected.hpp"
#include "state_view.hpp"
#include "text_style.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::views {

/// The output of `show` for the state: every object, then the outputs.
[[nodiscard]] std::string state_text(state_view const& state, text_options const& options = {});
/// The output of `show` without a state.
[[nodiscard]] auto no_state_text() -> std::string;

/// The output of `state show ADDRESS`.
[[nodiscard]] std::string resource_text(resource_view const& resource, text_options const& options = {});
/// The output of `state list`: one line per instance, in the order of `shown_before`.
[[nodiscard]] auto state_list_text(std::vector<resource_view> const& resources) -> std::string;

/// A value as an expression of the language, for `output` and `console`. Lines after the first are indented.
[[nodiscard]] auto value_text(language::value const& v, std::size_t indent = 0) -> std::string;
/// The output of `output`: `name = value`, sorted by name; `<sensitive>` for sensitive values unless `show_sensitive`.
[[nodiscard]] auto outputs_text(std::vector<output_view> outputs, bool show_sensitive = false) -> std::string;
/// The output of `output NAME`: the value, even if it is sensitive.
[[nodiscard]] auto output_text(output_view const& output) -> std::string;
/// The output of `output -raw NAME`, without a line break; an error for values other than texts, numbers and bools.
[[nodiscard]] auto raw_output_text(output_view const& output) -> expected<std::string>;

/// The warning and the error of `output` if there are no outputs, and if there is none with that name.
[[nodiscard]] auto no_outputs_warning() -> infra::diagnostic;
[[nodiscard]] auto no_such_output_error(std::string_view name, std::vector<output_view> const& all)
    -> infra::diagnostic;

/// "1 resource instance", "2 resource instances".
[[nodiscard]] auto resource_instances(std::size_t count) -> std::string;
/// "1 interrupted operation", "2 interrupted operations".
[[nodiscard]] auto interrupted_operations(std::size_t count) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_STATE_TEXT_HPP
