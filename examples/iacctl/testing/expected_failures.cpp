// SPDX-License-Identifier: BSL-1.0
#include "expected_failures.hpp"

#include "messages/commands.hpp"
#include "messages/configuration.hpp"
#include "messages/program.hpp"
#include "messages/report.hpp"

#include <strider/infra/model/address.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace iacctl::testing {

namespace {

// Checks and outputs have no special kind of reference: check.health is parsed as a resource.
auto can_fail(language::reference const& r) -> bool
{
    using enum language::reference_kind;
    return (r.kind == resource && r.type != "run") || r.kind == data || r.kind == variable;
}

auto is_code(infra::diagnostic const& d, std::initializer_list<messages::message_text const*> texts) -> bool
{
    return std::ranges::any_of(texts, [&](auto const* item) { return item->code == d.code; });
}

auto is_assertion(infra::diagnostic const& d) -> bool
{
    return is_code(d, {&messages::check_assertion_failed, &messages::check_assertion_unknown});
}

}  // namespace

expected_failures::expected_failures(
    language::configuration const& root, std::vector<language::reference> const& expected, infra::diagnostics& found)
    : expected_(&expected)
{
    auto const note = [&](language::source_range const& at, std::string const& address) {
        if (at) rules_.emplace(std::pair(at.file->name(), at.bytes.begin), address);
    };
    auto const note_all = [&](std::vector<language::check_rule> const& rules, std::string const& address) {
        for (auto const& rule : rules) note(rule.condition.range(), address);
    };
    for (auto const& [name, one] : root.variables) note(one.range, "var." + name);
    for (auto const& [name, one] : root.outputs) note_all(one.preconditions, "output." + name);
    for (auto const& [address, one] : root.resources) {
        note_all(one.lifecycle.preconditions, address);
        note_all(one.lifecycle.postconditions, address);
    }
    for (auto const& [name, one] : root.checks) note_all(one.assertions, "check." + name);
    language::for_each_module(root, [&](language::configuration const& module) {
        auto const prefix = module.is_root() ? std::string() : module.display_name() + ".";
        for (auto const& [name, one] : module.checks)
            if (one.data) check_of_.emplace(prefix + one.data->address(), module.is_root() ? "check." + name : "");
    });
    for (language::reference const& r : expected)
        if (!can_fail(r)) found.add(language::error(messages::failure_not_expectable, {r.address_with_key()}, r.range));
}

auto expected_failures::subject_of(infra::diagnostic const& d) const -> std::optional<subject>
{
    if (d.level == infra::severity::warning && !d.address.empty()) {
        auto const address = infra::parse_address(d.address);
        auto const data = address ? check_of_.find(to_string(address->config())) : check_of_.end();
        return data == check_of_.end() ? std::nullopt : std::optional(subject{data->second, {}});
    }
    bool const of_rule = is_assertion(d)
        || is_code(d,
            {&messages::failed_validation, &messages::output_precondition_failed,
                &messages::resource_precondition_failed, &messages::resource_postcondition_failed});
    if (!of_rule) return std::nullopt;
    auto const found = rules_.find({d.source.file, d.source.byte});
    return found == rules_.end() ? std::nullopt : std::optional(subject{found->second, d.address});
}

auto expected_failures::find(infra::diagnostic const& d) const -> language::reference const*
{
    auto const of = subject_of(d);
    if (!of) return nullptr;
    auto const is_it = [&](language::reference const& r) {
        return r.key ? r.address_with_key() == of->instance : r.address() == of->address;
    };
    // An expectation for one instance takes precedence over one for all instances.
    for (bool const keyed : {true, false})
        for (language::reference const& r : *expected_)
            if (r.key.has_value() == keyed && is_it(r)) return &r;
    return nullptr;
}

auto expected_failures::is_of_check(infra::diagnostic const& d) const -> bool
{
    return is_assertion(d) || (d.level == infra::severity::warning && subject_of(d));
}

auto expected_failures::judge(infra::diagnostics problems) const -> infra::diagnostics
{
    infra::diagnostics rest;
    std::set<language::reference const*> happened;
    for (infra::diagnostic d : problems) {
        bool const check = is_of_check(d);
        if (auto const* const as = d.level == infra::severity::error || check ? find(d) : nullptr) {
            happened.insert(as);
            continue;
        }
        if (check) d.level = infra::severity::error;
        rest.add(std::move(d));
    }
    for (language::reference const& r : *expected_) {
        if (happened.contains(&r)) continue;
        rest.add(language::error(messages::expected_failure_missing, {r.address_with_key()}, r.range));
    }
    return rest;
}

auto expected_failures::explain(infra::diagnostics problems) const -> infra::diagnostics
{
    infra::diagnostics all;
    for (infra::diagnostic const& d : problems) {
        if (d.level == infra::severity::error)
            if (auto const* const as = find(d))
                all.add(messages::make_warning(messages::expected_failure_in_plan, {as->address_with_key()}));
        all.add(d);
    }
    return all;
}

}  // namespace iacctl::testing
