// SPDX-License-Identifier: BSL-1.0
#include "state_only_type.hpp"

#include "messages/providers.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace iacctl::providers {

namespace {

// Returns whether a map has entries that the other map lacks; with the same value, unless only their keys count.
auto has_more(value const& a, value const& than, bool by_key)
{
    return std::ranges::any_of(a.entries(), [&](language::value_entry const& e) {
        value const* const there = than.find(e.key);
        return there == nullptr ? by_key || !e.of.is_null() : !by_key && *there != e.of;
    });
}

auto forces_replacement(attribute_rule const& rule, value const& before, value const& after) -> bool
{
    if (rule.change == on_change::update || before == after) return false;
    if (rule.change == on_change::replace) return true;
    // A new entry with a null value is no change: older releases did not store such entries.
    return has_more(after, before, false) || has_more(before, after, true);
}

}  // namespace

auto schema_of(std::vector<attribute_rule> const& rules) -> language::schema
{
    language::schema made;
    for (attribute_rule const& rule : rules) made.attributes.push_back(rule.is);
    std::ranges::sort(made.attributes, {}, &language::schema_attribute::name);
    return made;
}

auto check_by_rules(std::vector<attribute_rule> const& rules, value const& desired) -> strider::infra::diagnostics
{
    strider::infra::diagnostics found;
    for (attribute_rule const& rule : rules) {
        value const given = attribute(desired, rule.is.name).unmarked();
        if (!given.has_data() || !given.is(language::type_kind::number)) continue;
        language::number const& number = given.as_number();
        auto const add = [&](strider::infra::diagnostic wrong) {
            found.add(about_attribute(rule.is.name, std::move(wrong)));
        };
        if (!rule.fraction && !number.as_int64())
            add(messages::make_error(messages::attribute_not_whole, {rule.is.name, number.text()}));
        else if (rule.at_least && number < language::number(*rule.at_least))
            add(messages::make_error(
                messages::attribute_too_small, {rule.is.name, std::to_string(*rule.at_least), number.text()}));
        else if (rule.at_most && number > language::number(*rule.at_most))
            add(messages::make_error(
                messages::attribute_too_large, {rule.is.name, std::to_string(*rule.at_most), number.text()}));
    }
    return found;
}

auto plan_by_rules(std::vector<attribute_rule> const& rules, std::optional<value> const& prior, value const& desired)
    -> planned
{
    std::vector<language::value_entry> entries;
    std::vector<strider::infra::attribute_path> because;
    entries.reserve(rules.size());
    for (attribute_rule const& rule : rules) {
        value v = attribute(desired, rule.is.name);
        bool const given = !v.is_null();
        if (!given && !rule.by_default.is_null()) v = rule.by_default;
        else if (!given && rule.is.computed)
            v = prior ? attribute(*prior, rule.is.name) : value::unknown(rule.is.of).refined_not_null();
        if (prior && forces_replacement(rule, attribute(*prior, rule.is.name).unmarked_deep(), v.unmarked_deep()))
            because.push_back(path_of(rule.is.name));
        entries.push_back({rule.is.name, std::move(v)});
    }
    return planned(value::object(std::move(entries)), std::move(because));
}

auto keepers_rule(std::string_view name) -> attribute_rule
{
    return {{.name = std::string(name), .of = language::type::map(language::type::string()), .optional = true},
        on_change::replace_unless_null};
}

auto computed_rule(std::string_view name, language::type t) -> attribute_rule
{
    return {{.name = std::string(name), .of = std::move(t), .computed = true}};
}

state_only_type::state_only_type(std::string_view name, std::string_view provider, std::vector<attribute_rule> rules)
    : name_(name),
      provider_(provider),
      rules_(std::move(rules)),
      schema_(schema_of(rules_))
{}

auto state_only_type::plan(std::optional<value> const& prior, value const& desired) const -> expected<planned>
{
    auto wrong = check_by_rules(rules_, desired);
    if (!wrong.empty()) return strider::infra::failure(std::move(wrong));
    auto const prepared = prepare(desired);
    if (!prepared) return prepared.error();
    return plan_by_rules(rules_, prior, *prepared);
}

auto state_only_type::apply_now(apply_request const& request) const -> applied
{
    using strider::infra::operation_kind;
    if (!request.planned) return applied(std::nullopt);
    if (request.operation.kind == operation_kind::update) return applied(*request.planned);
    std::string why;
    try {
        auto made = create(*request.planned);
        if (!made) return applied(std::nullopt, made.error().why());
        return applied(std::move(*made));
    } catch (std::bad_alloc const&) {
        return applied(std::nullopt, strider::infra::make_error(strider::infra::codes::out_of_memory));
    } catch (std::exception const& e) {
        why = e.what();
    }
    return applied(std::nullopt, messages::make_error(messages::object_creation_failed, {why}));
}

auto state_only_type::blank() const -> value
{
    std::vector<language::value_entry> entries;
    for (attribute_rule const& rule : rules_)
        entries.push_back({rule.is.name, rule.by_default.is_null() ? value::null(rule.is.of) : rule.by_default});
    return value::object(std::move(entries));
}

}  // namespace iacctl::providers
