// SPDX-License-Identifier: BSL-1.0
#include "state_text.hpp"

#include "base/formatted.hpp"
#include "base/go_quoted.hpp"
#include "base/shown_text.hpp"
#include "base/trimmed.hpp"
#include "difference.hpp"
#include "language/syntax/suggestion.hpp"
#include "messages/report.hpp"
#include "messages/state.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace iacctl::views {

namespace {

using language::type_kind;
using language::value;

[[nodiscard]] auto value_style(text_options const& options) -> difference_style
{
    difference_style style;
    style.colour = options.colour;
    style.show_unchanged = true;
    style.hide_symbols = true;
    style.show_sensitive = options.show_sensitive;
    return style;
}

struct listed_module {
    std::vector<resource_view const*> resources;
    std::map<std::string, listed_module> children;  // sorted by text, as in Terraform: [10] before [2]
};

void append_module(std::string& out, listed_module const& of, bool first, text_options const& options)
{
    // An additional line separates modules, except before the first one. As in Terraform, the enclosing module
    // determines the first one, so there is no line between modules below an empty one.
    if (!of.resources.empty() && !first) out += '\n';
    for (auto const* resource : of.resources) {
        if (!std::exchange(first, false)) out += '\n';
        out += resource_text(*resource, options);
    }
    for (auto const& [step, child] : of.children) append_module(out, child, first, options);
}

[[nodiscard]] auto margin(std::size_t indent) -> std::string
{
    return std::string(indent, ' ');
}

[[nodiscard]] auto typed_null(language::type const& of) -> std::string
{
    auto const element = [&] { return of.element().friendly_name(); };
    switch (of.kind()) {
    case type_kind::dynamic: return "null";
    case type_kind::string: return "tostring(null)";
    case type_kind::number: return "tonumber(null)";
    case type_kind::boolean: return "tobool(null)";
    case type_kind::list: return formatted("tolist(null) /* of {} */", element());
    case type_kind::set: return formatted("toset(null) /* of {} */", element());
    case type_kind::map: return formatted("tomap(null) /* of {} */", element());
    default: return formatted("null /* {} */", of.friendly_name());
    }
}

// A text of several lines as a heredoc, with an end mark that is not one of its lines.
[[nodiscard]] auto heredoc(std::string_view text, std::size_t indent) -> std::string
{
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at <= text.size();) {
        auto const end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::string mark = "EOT";
    while (std::ranges::any_of(lines, [&](auto line) { return trimmed(line, white_space) == mark; })) mark += '_';
    auto out = (indent > 0 ? "<<-" : "<<") + mark;
    for (auto const line : lines) out += '\n' + margin(indent) + shown_heredoc_line(line);
    return out + '\n' + margin(indent) + mark;
}

[[nodiscard]] auto sequence_text(value const& of, std::size_t indent) -> std::string
{
    std::string out = "[";
    for (auto const& element : of.elements()) out += '\n' + margin(indent + 2) + value_text(element, indent + 2) + ',';
    if (of.size() > 0) out += '\n' + margin(indent);
    return out + ']';
}

[[nodiscard]] auto mapping_text(value const& of, std::size_t indent) -> std::string
{
    std::string out = "{";
    for (auto const& [key, element] : of.entries())
        out += '\n' + margin(indent + 2) + value_text(value(key), indent + 2) + " = " + value_text(element, indent + 2);
    if (of.size() > 0) out += '\n' + margin(indent);
    return out + '}';
}

}  // namespace

auto resource_text(resource_view const& of, text_options const& options) -> std::string
{
    auto const attributes = with_schema_marks(of.attributes, of.schema);
    std::string note;
    if (!of.deposed_key.empty()) note = formatted(" (deposed object {})", of.deposed_key);
    else if (of.tainted) note = " (tainted)";
    bool const data = of.address.mode() == infra::resource_mode::data;
    return formatted("# {}:{}\n{} {} {} {}\n", to_string(of.address), note, data ? "data" : "resource",
        go_quoted(of.address.type()), go_quoted(of.address.name()),
        difference_text(compare_resources(attributes, attributes, of.schema), 0, value_style(options)));
}

auto state_text(state_view const& of, text_options const& options) -> std::string
{
    if (of.empty()) return "State is empty.\n";
    std::vector<resource_view const*> order;
    for (auto const& resource : of.resources) order.push_back(&resource);
    sort_as_shown(order);
    listed_module root;
    for (auto const* resource : order) {
        auto* place = &root;
        for (auto const& step : resource->address.module()) place = &place->children[step.name + to_string(step.key)];
        place->resources.push_back(resource);
    }
    std::string out;
    append_module(out, root, true, options);
    if (of.outputs.empty()) return out;
    auto outputs = of.outputs;
    std::ranges::sort(outputs, {}, &output_view::name);
    out += "\n\nOutputs:\n\n";
    for (auto const& output : outputs) {
        auto const shown = output.sensitive ? output.of.with_marks(language::mark::sensitive) : output.of;
        auto const found = unchanged_value(shown, shown.get_type());
        out += formatted("{} = {}\n", output.name, difference_text(found, 0, value_style(options)));
    }
    return out;
}

auto no_state_text() -> std::string
{
    return "No state.\n";
}

auto state_list_text(std::vector<resource_view> const& of) -> std::string
{
    std::vector<infra::address> addresses;
    for (auto const& resource : of) addresses.push_back(resource.address);
    std::ranges::sort(addresses, [](auto const& a, auto const& b) { return shown_before(a, b); });
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::string out;
    for (auto const& address : addresses) out += to_string(address) + '\n';
    return out;
}

auto value_text(value const& of, std::size_t indent) -> std::string
{
    if (of.is_unknown()) return "(known after apply)";
    if (of.is_sensitive()) return "(sensitive value)";
    if (of.is_ephemeral()) return "(ephemeral value)";
    if (of.is_null()) return typed_null(of.get_type());
    switch (of.kind()) {
    case type_kind::boolean: return of.as_bool() ? "true" : "false";
    case type_kind::number: return of.as_number().text();
    case type_kind::string: {
        auto const& text = of.as_string();
        return text.find('\n') == std::string::npos ? go_quoted(text) : heredoc(text, indent);
    }
    case type_kind::list: return formatted("tolist({})", sequence_text(of, indent));
    case type_kind::set: return formatted("toset({})", sequence_text(of, indent));
    case type_kind::tuple: return sequence_text(of, indent);
    case type_kind::map: return formatted("tomap({})", mapping_text(of, indent));
    case type_kind::object: return mapping_text(of, indent);
    case type_kind::dynamic: break;
    }
    return {};
}

auto outputs_text(std::vector<output_view> outputs, bool show_sensitive) -> std::string
{
    std::ranges::sort(outputs, {}, &output_view::name);
    std::string out;
    for (auto const& [name, of, sensitive] : outputs)
        out += formatted("{} = {}\n", name,
            show_sensitive  ? value_text(of.unmarked_deep())
                : sensitive ? "<sensitive>"
                            : value_text(of));
    return out;
}

auto output_text(output_view const& of) -> std::string
{
    return value_text(of.of.unmarked_deep()) + '\n';
}

auto raw_output_text(output_view const& of) -> expected<std::string>
{
    auto const value = of.of.unmarked();
    if (value.is_null()) return infra::failure(messages::make_error(messages::raw_output_is_null, {of.name}));
    if (value.has_data()) switch (value.kind()) {
        case type_kind::boolean: return std::string(value.as_bool() ? "true" : "false");
        case type_kind::number: return value.as_number().text();
        case type_kind::string: return value.as_string();
        default: break;
        }
    else return infra::failure(messages::make_error(messages::raw_output_is_unknown, {of.name}));
    return infra::failure(
        messages::make_error(messages::raw_output_has_parts, {of.name, value.get_type().friendly_name()}));
}

auto no_outputs_warning() -> infra::diagnostic
{
    return messages::make_warning(messages::no_outputs);
}

auto no_such_output_error(std::string_view name, std::vector<output_view> const& all) -> infra::diagnostic
{
    std::vector<std::string_view> names;
    for (auto const& one : all) names.push_back(one.name);
    return messages::make_error(messages::output_not_in_state, {name, language::did_you_mean(name, names)});
}

}  // namespace iacctl::views
