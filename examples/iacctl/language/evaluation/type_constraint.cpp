// SPDX-License-Identifier: BSL-1.0
#include "type_constraint.hpp"

#include "evaluate.hpp"
#include "language/syntax/references.hpp"
#include "language/values/convert.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace iacctl::language {

namespace {

using defaults_ptr = std::shared_ptr<type_defaults const>;

class type_reader {
public:
    type_reader(source_file const* file, diagnostics& found) : file_(file), found_(found) {}

    [[nodiscard]] type_constraint read(syntax::node const& of)
    {
        if (of.kind == syntax::node_kind::call) return constructor(syntax::as<syntax::call>(of));
        auto const word = as_keyword({&of, file_});
        if (word.empty())
            return wrong("A type specification is either a primitive type keyword (bool, number, string) or a complex "
                         "type constructor call, like list(string).",
                of.range);
        if (word == "string") return {type::string(), nullptr};
        if (word == "number") return {type::number(), nullptr};
        if (word == "bool") return {type::boolean(), nullptr};
        if (word == "any") return {type::dynamic(), nullptr};
        if (auto const why = missing_argument(word); !why.empty()) return wrong(why, of.range);
        if (word == "optional")
            return wrong("Keyword \"optional\" is valid only as a modifier for object type attributes.", of.range);
        return wrong("The keyword \"" + std::string(word) + "\" is not a valid type specification.", of.range);
    }

private:
    [[nodiscard]] type_constraint wrong(std::string detail, byte_range place)
    {
        found_.add(error("Invalid type specification", std::move(detail), {file_, place}));
        return {};
    }

    [[nodiscard]] static std::string missing_argument(std::string_view word)
    {
        if (word == "list" || word == "set" || word == "map")
            return "The " + std::string(word) + " type constructor requires one argument specifying the element type.";
        if (word == "object")
            return "The object type constructor requires one argument specifying the attribute types and values as a "
                   "map.";
        if (word == "tuple")
            return "The tuple type constructor requires one argument specifying the element types as a list.";
        return {};
    }

    [[nodiscard]] type_constraint constructor(syntax::call const& of)
    {
        std::string const name(of.name);
        auto const given = in_parentheses(of);
        if (name == "any") return wrong("Type constraint keyword \"any\" does not expect arguments.", given);
        if (name == "string" || name == "number" || name == "bool")
            return wrong("Primitive type keyword \"" + name + "\" does not expect arguments.", given);
        if (name == "optional")
            return wrong("Keyword \"optional\" is valid only as a modifier for object type attributes.", of.name_range);
        auto const why = missing_argument(name);
        if (why.empty()) return wrong("Keyword \"" + name + "\" is not a valid type constructor.", of.range);
        if (of.arguments.empty()) return wrong(why, given);
        if (of.arguments.size() > 1) return wrong(why, between(of.arguments[1]->range, of.arguments.back()->range));
        auto const& argument = *of.arguments[0];
        if (name == "object") return object(argument);
        if (name == "tuple") return tuple(argument);
        auto const element = read(argument);
        defaults_ptr defaults;
        if (element.defaults) defaults = std::make_shared<type_defaults>(type_defaults{{}, {{"", element.defaults}}});
        if (name == "list") return {type::list(element.of), defaults};
        return {name == "set" ? type::set(element.of) : type::map(element.of), defaults};
    }

    /// The arguments with their parentheses.
    [[nodiscard]] byte_range in_parentheses(syntax::call const& of) const
    {
        auto const open = file_->text().find('(', of.name_range.end);
        return {static_cast<std::uint32_t>(open), of.close.end};
    }

    [[nodiscard]] type_constraint tuple(syntax::node const& of)
    {
        if (of.kind != syntax::node_kind::tuple)
            return wrong("Tuple type constructor requires a list of element types.", of.range);
        std::vector<type> elements;
        type_defaults defaults;
        for (auto const* const one : syntax::as<syntax::tuple>(of).elements) {
            auto const element = read(*one);
            if (element.defaults) defaults.inner.emplace(std::to_string(elements.size()), element.defaults);
            elements.push_back(element.of);
        }
        return {type::tuple(std::move(elements)), kept(std::move(defaults))};
    }

    [[nodiscard]] static defaults_ptr kept(type_defaults defaults)
    {
        return defaults.empty() ? nullptr : std::make_shared<type_defaults>(std::move(defaults));
    }

    [[nodiscard]] static std::optional<std::string> key_name(syntax::node const& key)
    {
        if (key.kind == syntax::node_kind::traversal && syntax::as<syntax::traversal>(key).steps.empty())
            return std::string(syntax::as<syntax::traversal>(key).root);
        return std::nullopt;
    }

    [[nodiscard]] type_constraint object(syntax::node const& of)
    {
        if (of.kind != syntax::node_kind::object)
            return wrong("Object type constructor requires a map whose keys are attribute names and whose values are "
                         "the corresponding attribute types.",
                of.range);
        std::vector<type_attribute> attributes;
        std::set<std::string> names;
        type_defaults defaults;
        for (auto const& item : syntax::as<syntax::object>(of).items) {
            auto const name = key_name(*item.key);
            if (!name) {
                static_cast<void>(wrong("Object constructor map keys must be attribute names.", item.key->range));
                continue;
            }
            if (!names.insert(*name).second) {
                static_cast<void>(wrong("Object constructor map keys must be unique.", item.key->range));
                continue;
            }
            bool const optional =
                item.of->kind == syntax::node_kind::call && syntax::as<syntax::call>(*item.of).name == "optional";
            if (!optional) {
                auto const attribute = read(*item.of);
                if (attribute.defaults) defaults.inner.emplace(*name, attribute.defaults);
                attributes.push_back({*name, attribute.of, false});
                continue;
            }
            auto const& call = syntax::as<syntax::call>(*item.of);
            if (call.arguments.empty() || call.arguments.size() > 2) {
                static_cast<void>(wrong(call.arguments.empty()
                        ? "Optional attribute modifier requires the attribute type as its argument."
                        : "Optional attribute modifier expects at most two arguments: the attribute type, and a "
                          "default "
                          "value.",
                    in_parentheses(call)));
                continue;
            }
            auto const attribute = read(*call.arguments[0]);
            if (attribute.defaults) defaults.inner.emplace(*name, attribute.defaults);
            attributes.push_back({*name, attribute.of, true});
            if (call.arguments.size() == 2) add_default(*name, attribute, *call.arguments[1], defaults);
        }
        return {type::object(std::move(attributes)), kept(std::move(defaults))};
    }

    void add_default(
        std::string const& name, type_constraint const& of, syntax::node const& node, type_defaults& defaults)
    {
        auto const before = found_.error_count();
        auto made = evaluate({&node, file_}, constant_scope(), found_);
        if (found_.error_count() > before) return;
        if (of.defaults) made = with_defaults(made, *of.defaults);
        auto const converted = convert(made, of.of);
        if (!converted) {
            found_.add(error("Invalid default value for optional attribute",
                "This default value is not compatible with the attribute's type constraint: " + converted.error().text()
                    + ".",
                {file_, node.range}));
            return;
        }
        defaults.values.emplace(name, *converted);
    }

    source_file const* file_;
    diagnostics& found_;
};

void refuse_quoted(std::string const& word, source_range place, diagnostics& found)
{
    std::string hint;
    if (word == "string") hint = "Remove the quotes around \"string\".";
    if (word == "list" || word == "map")
        hint = "Remove the quotes around \"" + word + "\" and write " + word
            + "(string) instead to explicitly indicate that " + "the " + word + " elements are strings.";
    if (hint.empty())
        found.add(error("Invalid legacy variable type hint",
            "To provide a full type expression, remove the surrounding quotes and give the type expression directly.",
            place));
    else
        found.add(error("Invalid quoted type constraints",
            "Terraform 0.11 and earlier required type constraints to be given in quotes, but that form is now "
            "deprecated "
            "and will be removed in a future version of Terraform. "
                + hint,
            place));
}

[[nodiscard]] value inner_default(value const& of, type_defaults const& defaults, std::string const& key)
{
    auto const found = defaults.inner.find(key);
    return found == defaults.inner.end() ? of : with_defaults(of, *found->second);
}

}  // namespace

type_constraint parse_type(expression const& of, diagnostics& found)
{
    // Bare words from before there were type constructors.
    auto const word = as_keyword(of);
    if (word == "list") return {type::list(type::dynamic()), nullptr};
    if (word == "map") return {type::map(type::dynamic()), nullptr};
    if (of.node().kind == syntax::node_kind::literal) {
        auto const constant = syntax::as<syntax::literal>(of.node()).constant();
        if (constant.has_data() && constant.is(type_kind::string)) {
            refuse_quoted(constant.as_string(), of.range(), found);
            return {};
        }
    }
    return type_reader(of.file(), found).read(of.node());
}

value with_defaults(value const& of, type_defaults const& defaults)
{
    if (!of.has_data()) return of;
    bool const all = defaults.inner.contains("");
    if (of.kind() == type_kind::map || of.kind() == type_kind::object) {
        std::vector<value_entry> entries;
        for (auto const& [key, element] : of.entries()) {
            auto const preset = defaults.values.find(key);
            auto const& given = element.is_null() && preset != defaults.values.end() ? preset->second : element;
            entries.push_back({key, inner_default(given, defaults, all ? "" : key)});
        }
        for (auto const& [name, preset] : defaults.values)
            if (!of.find(name)) entries.push_back({name, preset});
        return value::object(std::move(entries)).with_marks(of.marks());
    }
    if (of.elements().empty()) return of;
    std::vector<value> elements;
    for (auto const& element : of.elements())
        elements.push_back(inner_default(element, defaults, all ? "" : std::to_string(elements.size())));
    return value::tuple(std::move(elements)).with_marks(of.marks());
}

}  // namespace iacctl::language
