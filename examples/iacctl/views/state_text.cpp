// SPDX-License-Identifier: BSL-1.0
#include "state_text.hpp"

#include "base/address_text.hpp"
#include "base/formatted.hpp"
#include "base/go_quoted.hpp"
#include "base/shown_text.hpp"
#include "base/suggestion.hpp"
#include "base/trimmed.hpp"
#include "difference.hpp"
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

void append_module(std::string& out, listed_module const& module, bool first, text_options const& options)
{
    // An additional line separates modules, except before the first one. As in Terraform, the enclosing module
    // determines the first one, so there is no line between modules below an empty one.
    if (!module.resources.empty() && !first) out += '\n';
    for (auto const* resource : module.resources) {
        if (!std::exchange(first, false)) out += '\n';
        out += resource_text(*resource, options);
    }
    for (auto const& [step, child] : module.children) append_module(out, child, first, options);
}

[[nodiscard]] auto margin(std::size_t indent) -> std::string
{
    return std::string(indent, ' ');
}

[[nodiscard]] auto typed_null(language::type const& t) -> std::string
{
    auto const element = [&] { return t.element().friendly_name(); };
    switch (t.kind()) {
    case type_kind::dynamic: return "null";
    case type_kind::string: return "tostring(null)";
    case type_kind::number: return "tonumber(null)";
    case type_kind::boolean: return "tobool(null)";
    case type_kind::list: return formatted("tolist(null) /* of {} */", element());
    case type_kind::set: return formatted("toset(null) /* of {} */", element());
    case type_kind::map: return formatted("tomap(null) /* of {} */", element());
    default: return formatted("null /* {} */", t.friendly_name());
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

[[nodiscard]] auto sequence_text(value const& v, std::size_t indent) -> std::string
{
    std::string out = "[";
    for (auto const& element : v.elements()) out += '\n' + margin(indent + 2) + value_text(element, indent + 2) + ',';
    if (v.size() > 0) out += '\n' + margin(indent);
    return out + ']';
}

[[nodiscard]] auto mapping_text(value const& v, std::size_t indent) -> std::string
{
    std::string out = "{";
    for (auto const& [key, element] : v.entries())
        out += '\n' + margin(indent + 2) + value_text(value(key), indent + 2) + " = " + value_text(element, indent + 2);
    if (v.size() > 0) out += '\n' + margin(indent);
    return out + '}';
}

}  // namespace

auto resource_text(resource_view const& resource, text_options const& options) -> std::string
{
    auto const attributes = with_schema_marks(resource.attributes, resource.schema);
    bool const tainted = resource.tainted && resource.deposed_key.empty();
    bool const data = resource.address.mode() == infra::resource_mode::data;
    return formatted("# {}:{}\n{} {} {} {}\n", object_title(to_string(resource.address), resource.deposed_key),
        tainted ? " (tainted)" : "", data ? "data" : "resource", go_quoted(resource.address.type()),
        go_quoted(resource.address.name()),
        difference_text(compare_resources(attributes, attributes, resource.schema), 0, value_style(options)));
}

auto state_text(state_view const& state, text_options const& options) -> std::string
{
    if (state.empty()) return "State is empty.\n";
    std::vector<resource_view const*> order;
    for (auto const& resource : state.resources) order.push_back(&resource);
    sort_as_shown(order);
    listed_module root;
    for (auto const* resource : order) {
        auto* place = &root;
        for (auto const& step : resource->address.module()) place = &place->children[step.name + to_string(step.key)];
        place->resources.push_back(resource);
    }
    std::string out;
    append_module(out, root, true, options);
    if (state.outputs.empty()) return out;
    auto outputs = state.outputs;
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

auto state_list_text(std::vector<resource_view> const& resources) -> std::string
{
    std::vector<infra::address> addresses;
    for (auto const& resource : resources) addresses.push_back(resource.address);
    std::ranges::sort(addresses, [](auto const& a, auto const& b) { return shown_before(a, b); });
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::string out;
    for (auto const& address : addresses) out += to_string(address) + '\n';
    return out;
}

auto value_text(value const& v, std::size_t indent) -> std::string
{
    if (v.is_unknown()) return "(known after apply)";
    if (v.is_sensitive()) return "(sensitive value)";
    if (v.is_ephemeral()) return "(ephemeral value)";
    if (v.is_null()) return typed_null(v.get_type());
    switch (v.kind()) {
    case type_kind::boolean: return v.as_bool() ? "true" : "false";
    case type_kind::number: return v.as_number().text();
    case type_kind::string: {
        auto const& text = v.as_string();
        return text.find('\n') == std::string::npos ? go_quoted(text) : heredoc(text, indent);
    }
    case type_kind::list: return formatted("tolist({})", sequence_text(v, indent));
    case type_kind::set: return formatted("toset({})", sequence_text(v, indent));
    case type_kind::tuple: return sequence_text(v, indent);
    case type_kind::map: return formatted("tomap({})", mapping_text(v, indent));
    case type_kind::object: return mapping_text(v, indent);
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

auto output_text(output_view const& output) -> std::string
{
    return value_text(output.of.unmarked_deep()) + '\n';
}

auto raw_output_text(output_view const& output) -> expected<std::string>
{
    auto const value = output.of.unmarked();
    if (value.is_null()) return infra::failure(messages::make_error(messages::raw_output_is_null, {output.name}));
    if (value.has_data()) switch (value.kind()) {
        case type_kind::boolean: return std::string(value.as_bool() ? "true" : "false");
        case type_kind::number: return value.as_number().text();
        case type_kind::string: return value.as_string();
        default: break;
        }
    else return infra::failure(messages::make_error(messages::raw_output_is_unknown, {output.name}));
    return infra::failure(
        messages::make_error(messages::raw_output_has_parts, {output.name, value.get_type().friendly_name()}));
}

auto no_outputs_warning() -> infra::diagnostic
{
    return messages::make_warning(messages::no_outputs);
}

auto no_such_output_error(std::string_view name, std::vector<output_view> const& all) -> infra::diagnostic
{
    std::vector<std::string_view> names;
    for (auto const& one : all) names.push_back(one.name);
    return messages::make_error(messages::output_not_in_state, {name, did_you_mean(name, names)});
}

auto resource_instances(std::size_t count) -> std::string
{
    return formatted("{} resource instance{}", count, count == 1 ? "" : "s");
}

auto interrupted_operations(std::size_t count) -> std::string
{
    return formatted("{} interrupted operation{}", count, count == 1 ? "" : "s");
}

}  // namespace iacctl::views
