// SPDX-License-Identifier: BSL-1.0
#include "type_constraint.hpp"

#include "evaluate.hpp"
#include "language/syntax/references.hpp"
#include "language/values/convert.hpp"
#include "messages/evaluation.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace iacctl::language {

namespace {

using defaults_ptr = std::shared_ptr<type_defaults const>;

class type_reader {
public:
    type_reader(source_file const* file, diagnostics& found) : file_(file), found_(found) {}

    [[nodiscard]] auto read(syntax::node const& n) -> type_constraint
    {
        if (n.kind == syntax::node_kind::call) return constructor(syntax::as<syntax::call>(n));
        auto const word = as_keyword({&n, file_});
        if (word.empty()) return wrong(error(messages::not_a_type, at(n.range)));
        if (word == "string") return {type::string(), nullptr};
        if (word == "number") return {type::number(), nullptr};
        if (word == "bool") return {type::boolean(), nullptr};
        if (word == "any") return {type::dynamic(), nullptr};
        if (auto why = wrong_arguments(word, n.range)) return wrong(*std::move(why));
        if (word == "optional") return wrong(error(messages::optional_outside_object, at(n.range)));
        return wrong(error(messages::unknown_type, {word}, at(n.range)));
    }

private:
    [[nodiscard]] auto at(byte_range place) const noexcept -> source_range { return {file_, place}; }

    auto wrong(diagnostic why) -> type_constraint
    {
        found_.add(std::move(why));
        return {};
    }

    /// The error of a type constructor without its arguments; nothing for another word.
    [[nodiscard]] auto wrong_arguments(std::string_view word, byte_range place) const -> std::optional<diagnostic>
    {
        if (word == "list" || word == "set" || word == "map")
            return error(messages::element_type_required, {word}, at(place));
        if (word == "object") return error(messages::attribute_types_required, at(place));
        if (word == "tuple") return error(messages::element_types_required, at(place));
        return std::nullopt;
    }

    [[nodiscard]] auto constructor(syntax::call const& c) -> type_constraint
    {
        std::string_view const name = c.name;
        auto const given = in_parentheses(c);
        if (name == "any" || name == "string" || name == "number" || name == "bool")
            return wrong(error(messages::type_takes_no_arguments, {name}, at(given)));
        if (name == "optional") return wrong(error(messages::optional_outside_object, at(c.name_range)));
        bool const too_many = c.arguments.size() > 1;
        auto why = wrong_arguments(name, too_many ? between(c.arguments[1]->range, c.arguments.back()->range) : given);
        if (!why) return wrong(error(messages::unknown_type, {name}, at(c.range)));
        if (c.arguments.empty() || too_many) return wrong(*std::move(why));
        auto const& argument = *c.arguments[0];
        if (name == "object") return object(argument);
        if (name == "tuple") return tuple(argument);
        auto const element = read(argument);
        defaults_ptr defaults;
        if (element.defaults) defaults = std::make_shared<type_defaults>(type_defaults{{}, {{"", element.defaults}}});
        if (name == "list") return {type::list(element.of), defaults};
        return {name == "set" ? type::set(element.of) : type::map(element.of), defaults};
    }

    /// The range of the arguments with their parentheses.
    [[nodiscard]] auto in_parentheses(syntax::call const& c) const -> byte_range
    {
        auto const open = file_->text().find('(', c.name_range.end);
        return {static_cast<std::uint32_t>(open), c.close.end};
    }

    [[nodiscard]] auto tuple(syntax::node const& n) -> type_constraint
    {
        if (n.kind != syntax::node_kind::tuple) return wrong(error(messages::element_types_required, at(n.range)));
        std::vector<type> elements;
        type_defaults defaults;
        for (auto const* const one : syntax::as<syntax::tuple>(n).elements) {
            auto const element = read(*one);
            if (element.defaults) defaults.inner.emplace(std::to_string(elements.size()), element.defaults);
            elements.push_back(element.of);
        }
        return {type::tuple(std::move(elements)), kept(std::move(defaults))};
    }

    [[nodiscard]] static auto kept(type_defaults defaults) -> defaults_ptr
    {
        return defaults.empty() ? nullptr : std::make_shared<type_defaults>(std::move(defaults));
    }

    [[nodiscard]] static auto key_name(syntax::node const& key) -> std::optional<std::string>
    {
        if (key.kind == syntax::node_kind::traversal && syntax::as<syntax::traversal>(key).steps.empty())
            return std::string(syntax::as<syntax::traversal>(key).root);
        return std::nullopt;
    }

    [[nodiscard]] auto object(syntax::node const& n) -> type_constraint
    {
        if (n.kind != syntax::node_kind::object) return wrong(error(messages::attribute_types_required, at(n.range)));
        std::vector<type_attribute> attributes;
        std::set<std::string> names;
        type_defaults defaults;
        for (auto const& item : syntax::as<syntax::object>(n).items) {
            auto const name = key_name(*item.key);
            if (!name) {
                wrong(error(messages::attribute_name_required, at(item.key->range)));
                continue;
            }
            if (!names.insert(*name).second) {
                wrong(error(messages::duplicate_type_attribute, {*name}, at(item.key->range)));
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
                wrong(error(messages::optional_arguments, at(in_parentheses(call))));
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
        std::string const& name, type_constraint const& constraint, syntax::node const& node, type_defaults& defaults)
    {
        auto const before = found_.error_count();
        auto made = evaluate({&node, file_}, constant_scope(), found_);
        if (found_.error_count() > before) return;
        if (constraint.defaults) made = with_defaults(made, *constraint.defaults);
        auto const converted = convert(made, constraint.of);
        if (converted) defaults.values.emplace(name, *converted);
        else wrong(error(messages::default_wrong_type, {converted.error().text()}, at(node.range)));
    }

    source_file const* file_;
    diagnostics& found_;
};

void refuse_quoted(std::string const& word, source_range place, diagnostics& found)
{
    bool const collection = word == "list" || word == "map";
    if (collection || word == "string")
        found.add(error(messages::quoted_type, {collection ? word + "(string)" : word}, place));
    else found.add(error(messages::quoted_type_hint, place));
}

[[nodiscard]] auto inner_default(value const& v, type_defaults const& defaults, std::string const& key) -> value
{
    auto const found = defaults.inner.find(key);
    return found == defaults.inner.end() ? v : with_defaults(v, *found->second);
}

}  // namespace

auto parse_type(expression const& e, diagnostics& found) -> type_constraint
{
    // Bare words, from versions without type constructors.
    auto const word = as_keyword(e);
    if (word == "list") return {type::list(type::dynamic()), nullptr};
    if (word == "map") return {type::map(type::dynamic()), nullptr};
    if (e.node().kind == syntax::node_kind::literal) {
        auto const constant = syntax::as<syntax::literal>(e.node()).constant();
        if (constant.has_data() && constant.is(type_kind::string)) {
            refuse_quoted(constant.as_string(), e.range(), found);
            return {};
        }
    }
    return type_reader(e.file(), found).read(e.node());
}

auto with_defaults(value const& v, type_defaults const& defaults) -> value
{
    if (!v.has_data()) return v;
    bool const all = defaults.inner.contains("");
    if (v.kind() == type_kind::map || v.kind() == type_kind::object) {
        std::vector<value_entry> entries;
        for (auto const& [key, element] : v.entries()) {
            auto const preset = defaults.values.find(key);
            auto const& given = element.is_null() && preset != defaults.values.end() ? preset->second : element;
            entries.push_back({key, inner_default(given, defaults, all ? "" : key)});
        }
        for (auto const& [name, preset] : defaults.values)
            if (!v.find(name)) entries.push_back({name, preset});
        return value::object(std::move(entries)).with_marks(v.marks());
    }
    if (v.elements().empty()) return v;
    std::vector<value> elements;
    for (auto const& element : v.elements())
        elements.push_back(inner_default(element, defaults, all ? "" : std::to_string(elements.size())));
    return value::tuple(std::move(elements)).with_marks(v.marks());
}

}  // namespace iacctl::language
