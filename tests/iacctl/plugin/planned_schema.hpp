// SPDX-License-Identifier: BSL-1.0
#ifndef TESTS_IACCTL_PLUGINS_PLANNED_SCHEMA_HPP
#define TESTS_IACCTL_PLUGINS_PLANNED_SCHEMA_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::plugin::test {

/// The contents of nested attributes and blocks: "rule" has a name and an attribute computed from it, "zone" a rule in
/// a nested attribute, "part" lists and sets, "any" a value of any type.
[[nodiscard]] inline auto content(std::string const& name) -> std::shared_ptr<language::schema const>
{
    using language::nesting;
    using language::schema;
    using language::schema_attribute;
    using language::type;
    static auto const all = [] {
        std::map<std::string, std::shared_ptr<schema const>> made;
        made["rule"] =
            std::make_shared<schema>(schema{{{.name = "id", .of = type::string(), .optional = true, .computed = true},
                {.name = "name", .of = type::string(), .optional = true}}});
        made["any"] = std::make_shared<schema>(schema{{{.name = "of", .of = type::dynamic(), .optional = true}}});
        schema_attribute rule{.name = "rule", .of = {}, .optional = true};
        rule.nest(nesting::single, made["rule"]);
        made["zone"] = std::make_shared<schema>(schema{{rule}});
        schema_attribute rules{.name = "rules", .of = {}, .optional = true};
        rules.nest(nesting::list, made["rule"]);
        made["part"] = std::make_shared<schema>(schema{{{.name = "id", .of = type::string(), .computed = true},
            {.name = "marks", .of = type::set(type::string()), .optional = true}, rules}});
        return made;
    }();
    return all.at(name);
}
[[nodiscard]] inline auto planned_schema(std::string const& name) -> language::schema const&
{
    return *content(name);
}

/// A resource type with attributes and blocks of every nesting mode.
[[nodiscard]] inline auto pool() -> language::schema const&
{
    using language::nesting;
    using language::schema;
    using language::schema_attribute;
    using language::type;
    static auto const made = [] {
        schema whole{{{.name = "id", .of = type::string(), .computed = true},
            {.name = "plain", .of = type::string(), .optional = true},
            {.name = "region", .of = type::string(), .optional = true, .computed = true}}};
        auto const nest = [&](char const* name, nesting n, bool optional, bool computed) {
            schema_attribute one{.name = name, .of = {}, .optional = optional, .computed = computed};
            one.nest(n, content("rule"));
            whole.attributes.push_back(std::move(one));
        };
        nest("list", nesting::list, true, false);
        nest("map", nesting::map, true, false);
        nest("set", nesting::set, true, false);
        nest("one", nesting::single, true, false);
        nest("one_computed", nesting::single, true, true);
        nest("only_computed", nesting::single, false, true);
        whole.blocks = {{"list_blocks", nesting::list, content("rule")}, {"map_blocks", nesting::map, content("rule")},
            {"set_blocks", nesting::set, content("rule")}, {"one_block", nesting::single, content("rule")},
            {"group_block", nesting::group, content("rule")}, {"zones", nesting::list, content("zone")},
            {"parts", nesting::set, content("part")}, {"any_blocks", nesting::list, content("any")}};
        return whole;
    }();
    return made;
}

/// An object of a schema with these entries. All other attributes are null, and there are no other blocks.
[[nodiscard]] inline auto object(language::schema const& s, std::vector<language::value_entry> entries)
    -> language::value
{
    using language::nesting;
    using language::value;
    std::vector<language::value_entry> all;
    for (auto const& one : s.attributes) all.push_back({one.name, value::null(one.of)});
    for (auto const& one : s.blocks) {
        auto const inner = one.content->object_type();
        auto const none = [&] {
            if (one.how == nesting::single) return value::null(inner);
            if (one.how == nesting::group) return object(*one.content, {});
            if (inner.has_dynamic()) return one.how == nesting::map ? value::object({}) : value::tuple({});
            if (one.how == nesting::map) return value::map(inner, {});
            return one.how == nesting::set ? value::set(inner, {}) : value::list(inner, {});
        };
        all.push_back({one.name, none()});
    }
    for (auto& one : entries) all.push_back(std::move(one));
    return value::object(std::move(all));
}

}  // namespace iacctl::plugin::test

#endif  // TESTS_IACCTL_PLUGINS_PLANNED_SCHEMA_HPP
