// SPDX-License-Identifier: BSL-1.0
#include "views.hpp"

#include "base/url_secrets.hpp"
#include "workspace/object_identity.hpp"
#include "workspace/program/object_codec.hpp"
#include "workspace/relevant_attributes.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace iacctl::commands {

namespace {

auto change_view_of(infra::change<language::value> const& c, schema_views& schemas) -> views::change_view
{
    views::change_view v;
    v.address = c.target;
    v.previous_address = c.previous;
    if (c.of_deposed) v.deposed_key = c.deposed_key;
    if (c.import_id) v.importing_id = without_url_secrets(*c.import_id);
    v.importing_identity = workspace::imported_identity(c);
    v.provider_name = c.provider;
    v.action = c.what;
    v.reason = c.reason;
    if (c.before) v.before = *c.before;
    if (c.after && c.what != infra::action::destroy) v.after = *c.after;
    v.replace_paths = c.replace_paths;
    if (c.before) v.identity_before = workspace::identity_in(c.private_data).json;
    // An object keeps its identity. The identity of a new object may be planned, or is known after its creation.
    if (c.what == infra::action::no_op || c.what == infra::action::update) v.identity_after = v.identity_before;
    else if (c.after && c.what != infra::action::destroy)
        v.identity_after = workspace::identity_in(c.planned_data).json;
    v.schema = schemas.find(c.provider, c.target);
    return v;
}

}  // namespace

auto schema_views::find(std::string_view provider, infra::address const& given) -> views::resource_schema const*
{
    auto const* const type = catalog_->find_type(provider, given);
    if (type == nullptr) return nullptr;
    auto const [at, added] = made_.try_emplace(type);
    if (added) {
        at->second.version = type->version;
        for (language::schema_attribute const& a : type->content.attributes)
            at->second.attributes.push_back({a.name, a.of, a.required, a.optional, a.computed, a.sensitive});
        at->second.content = &type->content;
    }
    return &at->second;
}

auto view_of(infra::snapshot const& state, schema_views& schemas, infra::diagnostics& problems) -> views::state_view
{
    views::state_view view;
    auto const add = [&](infra::address const& a, std::string const& key, infra::object const& o) {
        auto attributes = program::decode_to_show(schemas.catalog(), a, o);
        if (!attributes) {
            problems.add(attributes.error().why());
            return;
        }
        views::resource_view r;
        r.address = a;
        r.deposed_key = key;
        r.provider_name = o.provider;
        r.schema_version = o.schema_version;
        r.attributes = std::move(*attributes);
        r.depends_on = o.dependencies;
        r.tainted = o.tainted;
        auto identity = workspace::identity_in(o.private_data);
        r.identity = std::move(identity.json);
        r.identity_version = identity.version;
        r.schema = schemas.find(o.provider, a);
        view.resources.push_back(std::move(r));
    };
    for (auto const& [a, record] : state.resources) {
        if (record.current) add(a, {}, *record.current);
        for (auto const& [key, o] : record.deposed) add(a, key, o);
    }
    view.outputs = outputs_of(state, problems);
    view.checks = state.checks.text();
    return view;
}

auto outputs_of(infra::snapshot const& state, infra::diagnostics& problems) -> std::vector<views::output_view>
{
    std::vector<views::output_view> outputs;
    for (auto const& [name, o] : state.outputs) {
        auto of = program::decode_output(o);
        if (of) outputs.push_back({name, std::move(*of), o.sensitive});
        else problems.add(of.error().why());
    }
    return outputs;
}

auto view_of(workspace::saved_plan const& saved, schema_views& schemas, shown_changes which) -> views::plan_view
{
    views::plan_view view;
    view.mode = saved.what.mode;
    auto const is_shown = [&](infra::change<language::value> const& c) {
        if (c.what != infra::action::no_op) return true;
        if (c.target.mode() == infra::resource_mode::data) return false;  // data that were read are not a change
        return c.previous || c.import_id || which != shown_changes::to_be_made;
    };
    view.changes.reserve(static_cast<std::size_t>(std::ranges::count_if(saved.what.changes, is_shown)));
    for (std::size_t i = 0; i < saved.what.changes.size(); ++i) {
        auto const& c = saved.what.changes[i];
        if (!is_shown(c)) continue;
        view.changes.push_back(change_view_of(c, schemas));
        view.changes.back().number = i;
        if (auto const made = saved.generated.find(c.target); made != saved.generated.end() && c.import_id)
            view.changes.back().generated_config = made->second;
    }
    for (auto const& one : saved.what.deferred)
        view.deferred.push_back({change_view_of(one.planned, schemas), one.reason});
    for (auto const& c : saved.what.drift) view.drift.push_back(change_view_of(c, schemas));
    for (auto const& o : saved.what.outputs) {
        views::output_change_view v;
        v.name = o.name;
        v.action = o.what;
        if (o.before) v.before = *o.before;
        if (o.after) v.after = *o.after;
        v.sensitive = o.sensitive;
        view.output_changes.push_back(std::move(v));
    }
    for (auto const& i : saved.what.invocations)
        view.actions.push_back({i.target, i.provider, i.event, i.caller, i.trigger, i.position, i.on_failure, i.config,
            schemas.find(i.provider, i.target)});
    view.checks = saved.checks.text();
    for (auto const& [name, v] : saved.variables) view.variables.push_back({name, v});
    view.timestamp = saved.created;
    view.errored = saved.errored;
    view.applyable = !saved.errored && saved.what.has_changes();
    view.complete = !saved.errored && !saved.what.targeted && saved.what.deferred.empty();
    return view;
}

auto relevant_of(program::hcl_program const& desired, workspace::saved_plan const& saved)
    -> std::vector<views::relevant_attribute>
{
    std::vector<views::relevant_attribute> all;
    for (auto& one : workspace::relevant_attributes(desired, saved))
        all.push_back({std::move(one.resource), std::move(one.path)});
    return all;
}

}  // namespace iacctl::commands
