// SPDX-License-Identifier: BSL-1.0
#include "difference.hpp"

#include "base/formatted.hpp"
#include "base/go_quoted.hpp"
#include "base/shown_text.hpp"
#include "base/trimmed.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace iacctl::views {

namespace {

using infra::action;
using language::type_kind;
using language::value;

constexpr std::array<std::string_view, 3> important = {"id", "name", "tags"};

// The displayed form of a string: in quotes, on several lines, or as the JSON that it contains.
struct shown_string {
    std::string text;
    bool null = false;
    bool multiline = false;
    std::optional<value> json;
};

[[nodiscard]] auto evaluated(value const& v) -> shown_string
{
    if (!v.has_data()) return {{}, true, false, {}};
    auto const& text = v.as_string();
    if (text.starts_with('{') || text.starts_with('['))
        if (auto json = language::from_json(text)) return {text, false, false, *std::move(json)};
    if (text.find('\n') != std::string::npos) return {std::string(trimmed(text, white_space)), false, true, {}};
    return {text, false, false, {}};
}

[[nodiscard]] auto lines_of(std::string_view text) -> std::vector<value>
{
    std::vector<value> out;
    for (std::size_t at = 0; at <= text.size();) {
        auto const end = std::min(text.find('\n', at), text.size());
        out.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

class writer {
public:
    explicit writer(difference_style style) : style_(style), paint_(style.colour) {}

    [[nodiscard]] auto text(difference const& d, std::size_t indent) const -> std::string
    {
        switch (d.kind) {
        case difference_kind::leaf: return leaf(d, indent);
        case difference_kind::sequence: return sequence(d, indent);
        case difference_kind::set: return set(d, indent);
        case difference_kind::mapping: return mapping(d, indent);
        case difference_kind::object:
        case difference_kind::block: return object(d, indent);
        case difference_kind::unknown: return unknown(d, indent);
        case difference_kind::sensitive: return sensitive(d, indent);
        case difference_kind::type_change: return type_change(d, indent);
        }
        return {};
    }

private:
    [[nodiscard]] auto without_null_suffix() const -> difference_style
    {
        auto out = style_;
        out.hide_null_suffix = true;
        return out;
    }

    [[nodiscard]] auto null_suffix(difference const& d) const -> std::string
    {
        if (style_.hide_null_suffix || d.action != action::destroy) return {};
        return " " + paint_(text_style::grey, "-> null");
    }
    [[nodiscard]] auto replacement(bool forces) const -> std::string
    {
        return forces ? " " + paint_(text_style::red, "# forces replacement") : std::string();
    }
    [[nodiscard]] auto arrow() const -> std::string { return " " + paint_(text_style::yellow, "->") + " "; }
    [[nodiscard]] auto symbol(action a) const -> std::string
    {
        return style_.hide_symbols ? std::string() : action_symbol(a, paint_) + " ";
    }
    [[nodiscard]] static auto margin(std::size_t indent) -> std::string { return std::string(4 * indent, ' '); }
    [[nodiscard]] auto line(std::size_t indent, action a, std::string_view content) const -> std::string
    {
        std::string out = margin(indent);
        out += symbol(a);
        out += content;
        out += '\n';
        return out;
    }
    [[nodiscard]] auto hidden(std::size_t indent, std::string_view subject, std::size_t count) const -> std::string
    {
        auto const note = formatted("# ({} unchanged {}{} hidden)", count, subject, count == 1 ? "" : "s");
        return line(indent, action::no_op, paint_(text_style::grey, note));
    }
    // The warning above a line whose value becomes sensitive, or is no longer sensitive.
    [[nodiscard]] auto warning(difference const& d, std::size_t indent) const -> std::string
    {
        if (d.kind != difference_kind::sensitive || d.before_sensitive == d.after_sensitive) return {};
        auto const inner = d.elements.front().action;
        if (inner == action::create || inner == action::destroy) return {};
        return formatted("{}  # {}: {}{}\n", margin(indent), paint_(text_style::yellow, "Warning"),
            d.before_sensitive ? "no longer sensitive, so it will be shown"
                               : "sensitive from now on, so it will be hidden",
            inner == action::no_op ? " (the value stays)" : "");
    }

    [[nodiscard]] auto number_or_bool(value const& v) const -> std::string
    {
        if (!v.has_data()) return paint_(text_style::grey, "null");
        return v.is(type_kind::boolean) ? (v.as_bool() ? "true" : "false") : v.as_number().text();
    }
    [[nodiscard]] auto simple(shown_string const& ss) const -> std::string
    {
        return ss.null ? paint_(text_style::grey, "null") : go_quoted(ss.text);
    }

    [[nodiscard]] auto leaf(difference const& d, std::size_t indent) const -> std::string
    {
        auto const is_string = [](value const& v) { return v.is(type_kind::string) && v.has_data(); };
        if (is_string(d.before) || is_string(d.after)) return string(d, indent);
        switch (d.action) {
        case action::create: return number_or_bool(d.after) + replacement(d.forces_replacement);
        case action::destroy: return number_or_bool(d.before) + null_suffix(d) + replacement(d.forces_replacement);
        case action::no_op: return number_or_bool(d.before) + replacement(d.forces_replacement);
        default:
            return number_or_bool(d.before) + arrow() + number_or_bool(d.after) + replacement(d.forces_replacement);
        }
    }

    [[nodiscard]] auto string(difference const& d, std::size_t indent) const -> std::string
    {
        auto const forces = replacement(d.forces_replacement);
        if (d.action == action::update) return changed_string(d, indent);
        auto const shown = evaluated(d.action == action::destroy ? d.before : d.after);
        if (shown.null) return simple(shown) + forces;
        if (shown.json) {
            auto const none = std::optional<value>();
            return json(d, indent, d.action == action::create ? none : shown.json,
                d.action == action::destroy ? none : shown.json);
        }
        if (!shown.multiline) return simple(shown) + null_suffix(d) + forces;
        std::string lines;
        for (auto const& one : lines_of(shown.text))
            lines += line(indent + 1, action::no_op, shown_heredoc_line(one.as_string()));
        return heredoc(d, indent, lines);
    }

    [[nodiscard]] auto changed_string(difference const& d, std::size_t indent) const -> std::string
    {
        auto const before = evaluated(d.before);
        auto const after = evaluated(d.after);
        if (before.json && after.json) return json(d, indent, before.json, after.json);
        if (before.json || after.json) {
            difference gone;
            gone.action = action::destroy;
            gone.before = d.before;
            difference made;
            made.action = action::create;
            made.after = d.after;
            difference both;
            both.kind = difference_kind::type_change;
            both.elements = {std::move(gone), std::move(made)};
            return text(both, indent);
        }
        if (!before.multiline && !after.multiline)
            return simple(before) + arrow() + simple(after) + replacement(d.forces_replacement);
        auto const text_of = [](shown_string const& shown) { return shown.null ? std::string("null") : shown.text; };
        auto const type = language::type::string();
        auto const lines =
            compare_values(value::list(type, lines_of(text_of(before))), value::list(type, lines_of(text_of(after))));
        std::string out;
        for (auto const& one : lines.elements) {
            if (one.action == action::no_op)
                out += line(indent + 1, one.action, shown_heredoc_line(one.before.as_string()));
            if (one.action == action::destroy || one.action == action::update)
                out += line(indent + 1, action::destroy, shown_heredoc_line(one.before.as_string()));
            if (one.action == action::create || one.action == action::update)
                out += line(indent + 1, action::create, shown_heredoc_line(one.after.as_string()));
        }
        return heredoc(d, indent, out);
    }

    [[nodiscard]] auto heredoc(difference const& d, std::size_t indent, std::string const& lines) const -> std::string
    {
        return formatted("<<-EOT{}\n{}{}{}EOT{}", replacement(d.forces_replacement), lines, margin(indent),
            symbol(action::no_op), null_suffix(d));
    }

    [[nodiscard]] auto json(difference const& d, std::size_t indent, std::optional<value> const& before,
        std::optional<value> const& after) const -> std::string
    {
        auto const inside = compare_values(before.value_or(value()), after.value_or(value()));
        bool const only_space = inside.action == action::no_op && d.action == action::update;
        auto style = without_null_suffix();
        style.show_unchanged = style.show_unchanged || only_space;
        auto const shown = writer(style).text(inside, indent + 1);
        std::string_view const space = !only_space ? ""
            : d.forces_replacement                 ? " # whitespace changes force replacement"
                                                   : " # whitespace changes";
        auto const forces = only_space ? std::string() : replacement(d.forces_replacement);
        if (shown.find('\n') == std::string::npos) return formatted("jsonencode({}){}{}", shown, space, forces);
        bool const marked = d.action == action::update && !only_space;
        return formatted("jsonencode({}\n{}{}{}{}\n{}{}){}", space, margin(indent + 1),
            symbol(marked ? action::update : action::no_op), shown, forces, margin(indent), symbol(action::no_op),
            null_suffix(d));
    }

    // Hides unchanged elements, except the neighbours of changed ones, which show the position in the order.
    [[nodiscard]] auto sequence(difference const& d, std::size_t indent) const -> std::string
    {
        if (d.elements.empty()) return "[]" + null_suffix(d) + replacement(d.forces_replacement);
        auto const changed = writer(without_null_suffix());
        auto full = style_;
        full.show_unchanged = true;
        auto const unchanged = writer(full);
        auto const write = [&](writer const& by, difference const& given) {
            return by.warning(given, indent + 1) + by.line(indent + 1, given.action, by.text(given, indent + 1) + ",");
        };
        std::string out = "[" + replacement(d.forces_replacement) + "\n";
        std::size_t skipped = 0;
        bool after_change = false;
        for (std::size_t i = 0; i < d.elements.size(); ++i) {
            auto const& one = d.elements[i];
            if (one.action == action::no_op && !after_change && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            if (skipped > 1) out += hidden(indent + 1, "element", skipped - 1);
            if (skipped > 0) out += write(unchanged, d.elements[i - 1]);
            skipped = 0;
            after_change = one.action != action::no_op;
            out += write(after_change ? changed : unchanged, one);
        }
        if (skipped > 0) out += hidden(indent + 1, "element", skipped);
        return out + margin(indent) + symbol(action::no_op) + "]" + null_suffix(d);
    }

    [[nodiscard]] auto set(difference const& d, std::size_t indent) const -> std::string
    {
        if (d.elements.empty()) return "[]" + null_suffix(d) + replacement(d.forces_replacement);
        auto const by = writer(without_null_suffix());
        std::string out = "[" + replacement(d.forces_replacement) + "\n";
        std::size_t skipped = 0;
        for (auto const& one : d.elements) {
            if (one.action == action::no_op && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            out += warning(one, indent + 1) + by.line(indent + 1, one.action, by.text(one, indent + 1) + ",");
        }
        if (skipped > 0) out += hidden(indent + 1, "element", skipped);
        return out + margin(indent) + symbol(action::no_op) + "]" + null_suffix(d);
    }

    [[nodiscard]] auto mapping(difference const& d, std::size_t indent) const -> std::string
    {
        if (d.elements.empty()) return "{}" + null_suffix(d) + replacement(d.forces_replacement);
        auto style = style_;
        style.hide_null_suffix = d.action == action::destroy;
        auto const by = writer(style);
        std::size_t width = 0;
        for (auto const& name : d.names) width = std::max(width, go_quoted(name).size());
        std::string out = "{" + replacement(d.forces_replacement) + "\n";
        std::size_t skipped = 0;
        for (std::size_t i = 0; i < d.elements.size(); ++i) {
            auto const& one = d.elements[i];
            if (one.action == action::no_op && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            out += warning(one, indent + 1);
            out += by.line(indent + 1, one.action,
                formatted("{} = {}{}", padded(go_quoted(d.names[i]), width), by.text(one, indent + 1),
                    one.kind == difference_kind::object ? "," : ""));
        }
        if (skipped > 0) out += hidden(indent + 1, "element", skipped);
        return out + margin(indent) + symbol(action::no_op) + "}" + null_suffix(d);
    }

    // An object, or a whole resource. Attributes that identify it are shown even if they do not change.
    [[nodiscard]] auto object(difference const& d, std::size_t indent) const -> std::string
    {
        bool const block = d.kind == difference_kind::block;
        auto const suffix = block ? std::string() : null_suffix(d);
        if (d.elements.empty() && d.blocks.empty()) return "{}" + suffix + replacement(d.forces_replacement);
        auto style = block ? style_ : without_null_suffix();
        auto const by = writer(style);
        style.show_unchanged = true;
        auto const by_important = writer(style);
        std::size_t width = 0;
        for (auto const& name : d.names) width = std::max(width, attribute_name(name).size());
        std::string out = "{" + replacement(d.forces_replacement) + "\n";
        std::size_t skipped = 0;
        for (std::size_t i = 0; i < d.elements.size(); ++i) {
            auto const& one = d.elements[i];
            bool const always = std::ranges::find(important, d.names[i]) != important.end();
            if (one.action == action::no_op && !always && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            auto const& chosen = always ? by_important : by;
            out += warning(one, indent + 1);
            out += chosen.line(indent + 1, one.action,
                padded(attribute_name(d.names[i]), width) + " = " + chosen.text(one, indent + 1));
        }
        if (skipped > 0) out += hidden(indent + 1, "attribute", skipped);
        return out + blocks(d, indent + 1) + margin(indent) + symbol(action::no_op) + "}" + suffix;
    }

    // An empty line separates blocks of different types.
    [[nodiscard]] auto blocks(difference const& d, std::size_t indent) const -> std::string
    {
        std::string out;
        std::string_view last;
        std::size_t skipped = 0;
        for (auto const& one : d.blocks) {
            if (one.of.action == action::no_op && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            if (one.type != last) out += '\n';
            last = one.type;
            bool const secret = one.of.kind == difference_kind::sensitive && !style_.show_sensitive;
            out += warning(one.of, indent);
            out += line(indent, one.of.action,
                attribute_name(one.type) + one.label + " "
                    + (secret ? secret_block(one.of, indent) : text(one.of, indent)));
        }
        if (skipped > 0) out += '\n' + hidden(indent, "block", skipped);
        return out;
    }
    [[nodiscard]] auto secret_block(difference const& d, std::size_t indent) const -> std::string
    {
        auto const start = margin(indent) + symbol(action::no_op);
        return formatted(
            "{{{}\n{}  # At least one attribute in this block is (or was) sensitive,\n{}  # so its contents "
            "will not be displayed.\n{}}}",
            replacement(d.forces_replacement), start, start, start);
    }

    [[nodiscard]] auto unknown(difference const& d, std::size_t indent) const -> std::string
    {
        auto const forces = replacement(d.forces_replacement);
        if (d.elements.empty()) return "(known after apply)" + forces;
        auto const before = writer(without_null_suffix()).text(d.elements.front(), indent);
        return before + " -> (known after apply)" + forces;
    }

    [[nodiscard]] auto sensitive(difference const& d, std::size_t indent) const -> std::string
    {
        if (style_.show_sensitive) return text(d.elements.front(), indent);
        return "(sensitive value)" + null_suffix(d) + replacement(d.forces_replacement);
    }

    [[nodiscard]] auto type_change(difference const& d, std::size_t indent) const -> std::string
    {
        auto const by = writer(without_null_suffix());
        return by.text(d.elements[0], indent) + arrow() + by.text(d.elements[1], indent);
    }

    difference_style style_;
    painter paint_;
};

}  // namespace

auto difference_text(difference const& d, std::size_t indent, difference_style style) -> std::string
{
    return writer(style).text(d, indent);
}

}  // namespace iacctl::views
