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

[[nodiscard]] auto evaluated(value const& of) -> shown_string
{
    if (!of.has_data()) return {{}, true, false, {}};
    auto const& text = of.as_string();
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

    [[nodiscard]] auto text(difference const& of, std::size_t indent) const -> std::string
    {
        switch (of.kind) {
        case difference_kind::leaf: return leaf(of, indent);
        case difference_kind::sequence: return sequence(of, indent);
        case difference_kind::set: return set(of, indent);
        case difference_kind::mapping: return mapping(of, indent);
        case difference_kind::object:
        case difference_kind::block: return object(of, indent);
        case difference_kind::unknown: return unknown(of, indent);
        case difference_kind::sensitive: return sensitive(of, indent);
        case difference_kind::type_change: return type_change(of, indent);
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

    [[nodiscard]] auto null_suffix(difference const& of) const -> std::string
    {
        if (style_.hide_null_suffix || of.action != action::destroy) return {};
        return " " + paint_(text_style::grey, "-> null");
    }
    [[nodiscard]] auto replacement(bool forces) const -> std::string
    {
        return forces ? " " + paint_(text_style::red, "# forces replacement") : std::string();
    }
    [[nodiscard]] auto arrow() const -> std::string { return " " + paint_(text_style::yellow, "->") + " "; }
    [[nodiscard]] auto symbol(action of) const -> std::string
    {
        return style_.hide_symbols ? std::string() : action_symbol(of, paint_) + " ";
    }
    [[nodiscard]] static auto margin(std::size_t indent) -> std::string { return std::string(4 * indent, ' '); }
    [[nodiscard]] auto line(std::size_t indent, action of, std::string_view content) const -> std::string
    {
        std::string out = margin(indent);
        out += symbol(of);
        out += content;
        out += '\n';
        return out;
    }
    [[nodiscard]] auto hidden(std::size_t indent, std::string_view what, std::size_t count) const -> std::string
    {
        auto const note = formatted("# ({} unchanged {}{} hidden)", count, what, count == 1 ? "" : "s");
        return line(indent, action::no_op, paint_(text_style::grey, note));
    }
    // The warning above a line whose value becomes sensitive, or is no longer sensitive.
    [[nodiscard]] auto warning(difference const& of, std::size_t indent) const -> std::string
    {
        if (of.kind != difference_kind::sensitive || of.before_sensitive == of.after_sensitive) return {};
        auto const inner = of.elements.front().action;
        if (inner == action::create || inner == action::destroy) return {};
        return formatted("{}  # {}: {}{}\n", margin(indent), paint_(text_style::yellow, "Warning"),
            of.before_sensitive ? "no longer sensitive, so it will be shown"
                                : "sensitive from now on, so it will be hidden",
            inner == action::no_op ? " (the value stays)" : "");
    }

    [[nodiscard]] auto number_or_bool(value const& of) const -> std::string
    {
        if (!of.has_data()) return paint_(text_style::grey, "null");
        return of.is(type_kind::boolean) ? (of.as_bool() ? "true" : "false") : of.as_number().text();
    }
    [[nodiscard]] auto simple(shown_string const& of) const -> std::string
    {
        return of.null ? paint_(text_style::grey, "null") : go_quoted(of.text);
    }

    [[nodiscard]] auto leaf(difference const& of, std::size_t indent) const -> std::string
    {
        auto const is_string = [](value const& v) { return v.is(type_kind::string) && v.has_data(); };
        if (is_string(of.before) || is_string(of.after)) return string(of, indent);
        switch (of.action) {
        case action::create: return number_or_bool(of.after) + replacement(of.forces_replacement);
        case action::destroy: return number_or_bool(of.before) + null_suffix(of) + replacement(of.forces_replacement);
        case action::no_op: return number_or_bool(of.before) + replacement(of.forces_replacement);
        default:
            return number_or_bool(of.before) + arrow() + number_or_bool(of.after) + replacement(of.forces_replacement);
        }
    }

    [[nodiscard]] auto string(difference const& of, std::size_t indent) const -> std::string
    {
        auto const forces = replacement(of.forces_replacement);
        if (of.action == action::update) return changed_string(of, indent);
        auto const shown = evaluated(of.action == action::destroy ? of.before : of.after);
        if (shown.null) return simple(shown) + forces;
        if (shown.json) {
            auto const none = std::optional<value>();
            return json(of, indent, of.action == action::create ? none : shown.json,
                of.action == action::destroy ? none : shown.json);
        }
        if (!shown.multiline) return simple(shown) + null_suffix(of) + forces;
        std::string lines;
        for (auto const& one : lines_of(shown.text))
            lines += line(indent + 1, action::no_op, shown_heredoc_line(one.as_string()));
        return heredoc(of, indent, lines);
    }

    [[nodiscard]] auto changed_string(difference const& of, std::size_t indent) const -> std::string
    {
        auto const before = evaluated(of.before);
        auto const after = evaluated(of.after);
        if (before.json && after.json) return json(of, indent, before.json, after.json);
        if (before.json || after.json) {
            difference gone;
            gone.action = action::destroy;
            gone.before = of.before;
            difference made;
            made.action = action::create;
            made.after = of.after;
            difference both;
            both.kind = difference_kind::type_change;
            both.elements = {std::move(gone), std::move(made)};
            return text(both, indent);
        }
        if (!before.multiline && !after.multiline)
            return simple(before) + arrow() + simple(after) + replacement(of.forces_replacement);
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
        return heredoc(of, indent, out);
    }

    [[nodiscard]] auto heredoc(difference const& of, std::size_t indent, std::string const& lines) const -> std::string
    {
        return formatted("<<-EOT{}\n{}{}{}EOT{}", replacement(of.forces_replacement), lines, margin(indent),
            symbol(action::no_op), null_suffix(of));
    }

    [[nodiscard]] auto json(difference const& of, std::size_t indent, std::optional<value> const& before,
        std::optional<value> const& after) const -> std::string
    {
        auto const inside = compare_values(before.value_or(value()), after.value_or(value()));
        bool const only_space = inside.action == action::no_op && of.action == action::update;
        auto style = without_null_suffix();
        style.show_unchanged = style.show_unchanged || only_space;
        auto const shown = writer(style).text(inside, indent + 1);
        std::string_view const space = !only_space ? ""
            : of.forces_replacement                ? " # whitespace changes force replacement"
                                                   : " # whitespace changes";
        auto const forces = only_space ? std::string() : replacement(of.forces_replacement);
        if (shown.find('\n') == std::string::npos) return formatted("jsonencode({}){}{}", shown, space, forces);
        bool const marked = of.action == action::update && !only_space;
        return formatted("jsonencode({}\n{}{}{}{}\n{}{}){}", space, margin(indent + 1),
            symbol(marked ? action::update : action::no_op), shown, forces, margin(indent), symbol(action::no_op),
            null_suffix(of));
    }

    // Hides unchanged elements, except the neighbours of changed ones, which show the position in the order.
    [[nodiscard]] auto sequence(difference const& of, std::size_t indent) const -> std::string
    {
        if (of.elements.empty()) return "[]" + null_suffix(of) + replacement(of.forces_replacement);
        auto const changed = writer(without_null_suffix());
        auto full = style_;
        full.show_unchanged = true;
        auto const unchanged = writer(full);
        auto const write = [&](writer const& by, difference const& one) {
            return by.warning(one, indent + 1) + by.line(indent + 1, one.action, by.text(one, indent + 1) + ",");
        };
        std::string out = "[" + replacement(of.forces_replacement) + "\n";
        std::size_t skipped = 0;
        bool after_change = false;
        for (std::size_t i = 0; i < of.elements.size(); ++i) {
            auto const& one = of.elements[i];
            if (one.action == action::no_op && !after_change && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            if (skipped > 1) out += hidden(indent + 1, "element", skipped - 1);
            if (skipped > 0) out += write(unchanged, of.elements[i - 1]);
            skipped = 0;
            after_change = one.action != action::no_op;
            out += write(after_change ? changed : unchanged, one);
        }
        if (skipped > 0) out += hidden(indent + 1, "element", skipped);
        return out + margin(indent) + symbol(action::no_op) + "]" + null_suffix(of);
    }

    [[nodiscard]] auto set(difference const& of, std::size_t indent) const -> std::string
    {
        if (of.elements.empty()) return "[]" + null_suffix(of) + replacement(of.forces_replacement);
        auto const by = writer(without_null_suffix());
        std::string out = "[" + replacement(of.forces_replacement) + "\n";
        std::size_t skipped = 0;
        for (auto const& one : of.elements) {
            if (one.action == action::no_op && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            out += warning(one, indent + 1) + by.line(indent + 1, one.action, by.text(one, indent + 1) + ",");
        }
        if (skipped > 0) out += hidden(indent + 1, "element", skipped);
        return out + margin(indent) + symbol(action::no_op) + "]" + null_suffix(of);
    }

    [[nodiscard]] auto mapping(difference const& of, std::size_t indent) const -> std::string
    {
        if (of.elements.empty()) return "{}" + null_suffix(of) + replacement(of.forces_replacement);
        auto style = style_;
        style.hide_null_suffix = of.action == action::destroy;
        auto const by = writer(style);
        std::size_t width = 0;
        for (auto const& name : of.names) width = std::max(width, go_quoted(name).size());
        std::string out = "{" + replacement(of.forces_replacement) + "\n";
        std::size_t skipped = 0;
        for (std::size_t i = 0; i < of.elements.size(); ++i) {
            auto const& one = of.elements[i];
            if (one.action == action::no_op && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            out += warning(one, indent + 1);
            out += by.line(indent + 1, one.action,
                formatted("{} = {}{}", padded(go_quoted(of.names[i]), width), by.text(one, indent + 1),
                    one.kind == difference_kind::object ? "," : ""));
        }
        if (skipped > 0) out += hidden(indent + 1, "element", skipped);
        return out + margin(indent) + symbol(action::no_op) + "}" + null_suffix(of);
    }

    // An object, or a whole resource. Attributes that identify it are shown even if they do not change.
    [[nodiscard]] auto object(difference const& of, std::size_t indent) const -> std::string
    {
        bool const block = of.kind == difference_kind::block;
        auto const suffix = block ? std::string() : null_suffix(of);
        if (of.elements.empty() && of.blocks.empty()) return "{}" + suffix + replacement(of.forces_replacement);
        auto style = block ? style_ : without_null_suffix();
        auto const by = writer(style);
        style.show_unchanged = true;
        auto const by_important = writer(style);
        std::size_t width = 0;
        for (auto const& name : of.names) width = std::max(width, attribute_name(name).size());
        std::string out = "{" + replacement(of.forces_replacement) + "\n";
        std::size_t skipped = 0;
        for (std::size_t i = 0; i < of.elements.size(); ++i) {
            auto const& one = of.elements[i];
            bool const always = std::ranges::find(important, of.names[i]) != important.end();
            if (one.action == action::no_op && !always && !style_.show_unchanged) {
                ++skipped;
                continue;
            }
            auto const& chosen = always ? by_important : by;
            out += warning(one, indent + 1);
            out += chosen.line(indent + 1, one.action,
                padded(attribute_name(of.names[i]), width) + " = " + chosen.text(one, indent + 1));
        }
        if (skipped > 0) out += hidden(indent + 1, "attribute", skipped);
        return out + blocks(of, indent + 1) + margin(indent) + symbol(action::no_op) + "}" + suffix;
    }

    // An empty line separates blocks of different types.
    [[nodiscard]] auto blocks(difference const& of, std::size_t indent) const -> std::string
    {
        std::string out;
        std::string_view last;
        std::size_t skipped = 0;
        for (auto const& one : of.blocks) {
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
    [[nodiscard]] auto secret_block(difference const& of, std::size_t indent) const -> std::string
    {
        auto const start = margin(indent) + symbol(action::no_op);
        return formatted(
            "{{{}\n{}  # At least one attribute in this block is (or was) sensitive,\n{}  # so its contents "
            "will not be displayed.\n{}}}",
            replacement(of.forces_replacement), start, start, start);
    }

    [[nodiscard]] auto unknown(difference const& of, std::size_t indent) const -> std::string
    {
        auto const forces = replacement(of.forces_replacement);
        if (of.elements.empty()) return "(known after apply)" + forces;
        auto const before = writer(without_null_suffix()).text(of.elements.front(), indent);
        return before + " -> (known after apply)" + forces;
    }

    [[nodiscard]] auto sensitive(difference const& of, std::size_t indent) const -> std::string
    {
        if (style_.show_sensitive) return text(of.elements.front(), indent);
        return "(sensitive value)" + null_suffix(of) + replacement(of.forces_replacement);
    }

    [[nodiscard]] auto type_change(difference const& of, std::size_t indent) const -> std::string
    {
        auto const by = writer(without_null_suffix());
        return by.text(of.elements[0], indent) + arrow() + by.text(of.elements[1], indent);
    }

    difference_style style_;
    painter paint_;
};

}  // namespace

auto difference_text(difference const& of, std::size_t indent, difference_style style) -> std::string
{
    return writer(style).text(of, indent);
}

}  // namespace iacctl::views
