// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_LANGUAGE_TREE_TEXT_HPP
#define IACCTL_TESTS_LANGUAGE_TREE_TEXT_HPP

#include "language/syntax/syntax_tree.hpp"
#include "language/values/value.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::language::testing {

/// Writes trees in two forms: as native syntax, and as brackets with a separate word for each kind of node. Two trees
/// are equal if their texts in the second form are equal.
class tree_writer {
public:
    enum class form { native, brackets };

    explicit tree_writer(form f) : native_(f == form::native) {}

    [[nodiscard]] auto written(body const& b) -> std::string
    {
        out_.clear();
        write(b);
        return std::move(out_);
    }
    /// True if the whole last tree could be written as native syntax. Template directives (%{ if }) cannot.
    [[nodiscard]] auto is_whole() const noexcept -> bool { return whole_; }

private:
    using kind = syntax::node_kind;

    void write(body const& b)
    {
        for (auto const& one : b.attributes) {
            out_ += std::string(one.name) + " = ";
            write(one.of.node());
            out_ += '\n';
        }
        for (auto const& one : b.blocks) {
            out_ += one.type;
            for (auto const& label : one.labels) out_ += " " + quoted(label.text);
            out_ += " {\n";
            write(one.content);
            out_ += "}\n";
        }
    }

    [[nodiscard]] static auto quoted(std::string_view text) -> std::string { return '"' + escaped(text) + '"'; }

    /// The text with escapes, also for sequences that would begin an interpolation.
    [[nodiscard]] static auto escaped(std::string_view text) -> std::string
    {
        std::string made;
        for (std::size_t i = 0; i < text.size(); ++i) {
            char const c = text[i];
            char const next = i + 1 < text.size() ? text[i + 1] : '{';
            bool const begins = next == '{' || next == '$' || next == '%';
            if (c == '\n') made += "\\n";
            else if (c == '\r') made += "\\r";
            else if (c == '\t') made += "\\t";
            else if (c == '"' || c == '\\') made += std::string("\\") + c;
            else if (begins && c == '$') made += "\\u0024";
            else if (begins && c == '%') made += "\\u0025";
            else made += c;
        }
        return made;
    }

    void constant(value const& v)
    {
        if (v.is_null()) out_ += "null";
        else if (v.is(type_kind::string)) out_ += quoted(v.as_string());
        else out_ += to_json(v);
    }

    void steps(std::span<syntax::step const> all)
    {
        for (auto const& step : all) {
            if (!step.key) out_ += "." + std::string(step.name);
            else if (native_ && in_attributes_) {
                out_ += '.';
                constant(*step.key);
            } else {
                out_ += '[';
                constant(*step.key);
                out_ += ']';
            }
        }
    }

    template <class List, class Each>
    void list(char const* open, List const& items, char const* close, Each const& each)
    {
        out_ += open;
        bool first = true;
        for (auto const& one : items) {
            if (!first) out_ += ", ";
            first = false;
            each(one);
        }
        out_ += close;
    }

    void word(char const* name)
    {
        if (!native_) out_ += std::string("<") + name + ">";
    }

    [[nodiscard]] static auto symbol(syntax::operation op) -> std::string_view
    {
        static constexpr std::array<std::string_view, 15> all{
            "||", "&&", "==", "!=", ">", ">=", "<", "<=", "+", "-", "*", "/", "%", "-", "!"};
        return all[static_cast<std::size_t>(op)];
    }

    void write_part(syntax::node const& n)
    {
        if (n.kind == kind::literal) {
            auto const text = syntax::as<syntax::literal>(n).constant();
            if (text.has_data() && text.is(type_kind::string)) {
                out_ += escaped(text.as_string());
                return;
            }
        }
        out_ += "${";
        write(n);
        out_ += "}";
    }

    void write(syntax::node const& n)
    {
        switch (n.kind) {
        case kind::literal: constant(syntax::as<syntax::literal>(n).constant()); break;
        case kind::text:
            word("text");
            whole_ = whole_ && (syntax::as<syntax::text>(n).parts.size() != 1);
            out_ += '"';
            for (auto const* const part : syntax::as<syntax::text>(n).parts) {
                word("part");
                write_part(*part);
            }
            out_ += '"';
            break;
        case kind::wrap:
            out_ += "\"${";
            write(*syntax::as<syntax::wrap>(n).inner);
            out_ += "}\"";
            break;
        case kind::join:
            word("join");
            whole_ = false;
            write(*syntax::as<syntax::join>(n).tuple);
            break;
        case kind::traversal: {
            auto const& traversal = syntax::as<syntax::traversal>(n);
            word("traversal");
            out_ += traversal.root;
            steps(traversal.steps);
            break;
        }
        case kind::relative:
            word("relative");
            write(*syntax::as<syntax::relative>(n).from);
            steps(syntax::as<syntax::relative>(n).steps);
            break;
        case kind::index:
            word("index");
            write(*syntax::as<syntax::index>(n).collection);
            out_ += '[';
            write(*syntax::as<syntax::index>(n).key);
            out_ += ']';
            break;
        case kind::splat: {
            auto const& splat = syntax::as<syntax::splat>(n);
            word("splat");
            write(*splat.from);
            // Only attribute names that follow `.*` belong to the splat.
            bool const attributes = splat.marker.end - splat.marker.begin == 2;
            out_ += native_ && attributes ? ".*" : "[*]";
            bool const before = std::exchange(in_attributes_, attributes);
            write(*splat.each);
            in_attributes_ = before;
            break;
        }
        case kind::item: word("item"); break;
        case kind::call: {
            auto const& call = syntax::as<syntax::call>(n);
            word("call");
            out_ += call.name;
            list("(", call.arguments, "", [&](auto const* a) { write(*a); });
            out_ += call.expand_last ? "...)" : ")";
            break;
        }
        case kind::conditional: {
            auto const& conditional = syntax::as<syntax::conditional>(n);
            word("if");
            write(*conditional.condition);
            out_ += " ? ";
            write(*conditional.when_true);
            out_ += " : ";
            write(*conditional.when_false);
            break;
        }
        case kind::binary: {
            auto const& binary = syntax::as<syntax::binary>(n);
            if (!native_) out_ += "<(>";
            write(*binary.left);
            out_ += " " + std::string(symbol(binary.op)) + " ";
            write(*binary.right);
            if (!native_) out_ += "<)>";
            break;
        }
        case kind::unary:
            word("unary");
            out_ += symbol(syntax::as<syntax::unary>(n).op);
            write(*syntax::as<syntax::unary>(n).operand);
            break;
        case kind::tuple:
            list("[", syntax::as<syntax::tuple>(n).elements, "]", [&](auto const* element) { write(*element); });
            break;
        case kind::object:
            list("{", syntax::as<syntax::object>(n).items, "}", [&](syntax::object_item const& oi) {
                if (oi.computed_key) word("computed");
                write(*oi.key);
                out_ += " = ";
                write(*oi.of);
            });
            break;
        case kind::for_each: {
            auto const& loop = syntax::as<syntax::for_each>(n);
            out_ += loop.key ? "{for " : "[for ";
            if (!loop.key_name.empty()) out_ += std::string(loop.key_name) + ", ";
            out_ += std::string(loop.value_name) + " in ";
            write(*loop.collection);
            out_ += " : ";
            if (loop.key) {
                write(*loop.key);
                out_ += " => ";
            }
            write(*loop.of);
            if (loop.group) out_ += "...";
            if (loop.condition) {
                out_ += " if ";
                write(*loop.condition);
            }
            out_ += loop.key ? "}" : "]";
            break;
        }
        case kind::parentheses:
            out_ += '(';
            write(*syntax::as<syntax::parentheses>(n).inner);
            out_ += ')';
            break;
        case kind::json_string: constant(*syntax::as<syntax::json_string>(n).raw); break;
        }
    }

    bool native_;
    bool whole_ = true;
    bool in_attributes_ = false;
    std::string out_;
};

}  // namespace iacctl::language::testing

#endif  // IACCTL_TESTS_LANGUAGE_TREE_TEXT_HPP
