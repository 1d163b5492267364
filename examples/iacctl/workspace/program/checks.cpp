// SPDX-License-Identifier: BSL-1.0
// Checks: assertions, and data sources to which only these can refer.
#include "hcl_program.hpp"
#include "instance_scope.hpp"
#include "language/configuration/variables.hpp"
#include "messages/program.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::program {

namespace {

// Evaluates one assertion. A failed or unknown one is reported as a warning.
auto assess_rule(language::check_rule const& rule, instance_scope const& in, infra::diagnostics& found)
    -> language::rule_result
{
    auto result = language::evaluate_rule(rule, "check block assertion", in, found);
    if (result.refused || (result.decided && result.holds)) return result;
    auto reported = result.decided
        ? language::warning(messages::check_assertion_failed, {result.message}, rule.condition.range())
        : language::warning(messages::check_assertion_unknown, rule.condition.range());
    reported.source.notes = language::value_notes(rule.condition, in);
    found.add(std::move(reported));
    return result;
}

}  // namespace

void hcl_declarations::declare_checks(module const& m)
{
    module_path path;
    for (auto const* up = &m; !up->is_root(); up = up->caller) path.insert(path.begin(), {up->call->name, {}});
    for (auto const& [name, c] : m.of->checks) {
        declaration d;
        d.block = &c;
        d.in = &m;
        if (c.data) {
            declaration data = d;
            data.check_of_data = &c;
            data.kind = infra::declaration_kind::resource;
            data.name = m.prefix + c.data->address();
            data.block = &*c.data;
            set_provider(data, m);
            data.address = infra::address(path, infra::resource_mode::data, c.data->type, c.data->name, {});
            for (language::reference const& named : c.data->depends_on) add_reference(data, m, named, true);
            add_references(data, c.data->content);
            add_references(data, c.data->lifecycle.preconditions);
            add_references(data, c.data->lifecycle.postconditions);
            note_rules(data.name, ruled_declaration::kind_type::resource, c.data->lifecycle.rule_count());
            declarations_.push_back(std::move(data));
        }
        d.kind = infra::declaration_kind::check;
        d.name = m.prefix + "check." + name;
        add_references(d, c.assertions);
        note_rules(d.name, ruled_declaration::kind_type::check, c.assertions.size());
        if (c.data) add_name(d, m.prefix + c.data->address(), {}, false);
        declarations_.push_back(std::move(d));
    }
}

auto hcl_program::data_of(declaration const& d) const -> std::optional<std::size_t>
{
    if (d.check() == nullptr || !d.check()->data) return std::nullopt;
    return all_->numbers_.at(d.in->prefix + d.check()->data->address());
}

auto hcl_program::assess(declaration const& d, scope_type const& scope,
    std::vector<infra::unread_data> const& unread) const -> infra::diagnostics
{
    infra::diagnostics found;
    auto const paths = paths_of(*d.in, scope);
    expand_rules(d, paths);
    for (module_path const& path : paths) {
        std::string const object = object_name(d, path);
        auto const missing =
            std::ranges::find(unread, path, [](infra::unread_data const& data) { return data.target.module(); });
        if (missing != unread.end()) {  // without its data it cannot be evaluated
            infra::diagnostic const& why = missing->why;
            note(d, object, 0, {.decided = true, .message = why.summary + ": " + why.detail});
            continue;
        }
        instance_scope const in(*this, scope, *d.in, path);
        for (std::size_t i = 0; i < d.check()->assertions.size(); ++i)
            note(d, object, i, assess_rule(d.check()->assertions[i], in, found));
    }
    return found;
}

}  // namespace iacctl::program
