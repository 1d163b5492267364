// SPDX-License-Identifier: BSL-1.0
// The instances of resources and modules.
#include "hcl_program.hpp"
#include "instance_scope.hpp"
#include "language/evaluation/repetition.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::program {

namespace {

// Returns whether the path contains unknown instances of a module.
auto has_unknown_step(hcl_program::module_path const& path) -> bool
{
    return std::ranges::any_of(path, [](infra::module_step const& step) { return step.key.is_unknown(); });
}

}  // namespace

auto hcl_program::paths_of(module const& m, scope_type const& scope) const -> std::vector<module_path>
{
    if (m.is_root()) return {{}};
    std::vector<module_path> all;
    value const* const instances = scope.value(m.name());
    for (module_path const& outer : paths_of(*m.caller, scope)) {
        value const* const keys = instances == nullptr ? nullptr : instances->find(to_string(outer));
        if (keys == nullptr || keys->is_null()) continue;
        auto const add = [&](infra::instance_key key) {
            module_path path = outer;
            path.push_back({m.call->name, std::move(key)});
            all.push_back(std::move(path));
        };
        if (keys->is_unknown()) add(infra::instance_key::unknown());
        else if (keys->is(language::type_kind::number)) {
            auto const count = keys->as_number().as_int64().value_or(0);
            for (std::int64_t i = 0; i < count; ++i) add(infra::instance_key(i));
        } else if (keys->is(language::type_kind::object)) {
            for (auto const& entry : keys->entries()) add(infra::instance_key(entry.key));
        } else if (keys->as_bool()) add({});
    }
    return all;
}

auto hcl_program::expand(declaration const& d, scope_type const& scope) const -> expected<infra::expansion<value>>
{
    infra::expansion<value> expanded;
    language::resource const& r = *d.resource();
    infra::diagnostics found;
    expanded.desired = !d.removed;
    if (d.removed) return expanded;
    if (r.count) expanded.kind = infra::repetition_kind::count;
    if (r.for_each) expanded.kind = infra::repetition_kind::for_each;
    if (r.enabled) expanded.kind = infra::repetition_kind::optional;
    std::vector<language::value_entry> repetitions;
    expanded.instances.reserve(1);
    expanded.modules = paths_of(*d.in, scope);
    for (module_path const& path : *expanded.modules) {
        instance_scope const in(*this, scope, *d.in, path);
        infra::address const resource = d.in->is_root()
            ? d.address
            : infra::address(path, d.address.mode(), d.address.type(), d.address.name(), {});
        auto const add = [&](infra::instance_key key) {
            expanded.instances.push_back(resource.instance(std::move(key)));
        };
        auto const errors = found.error_count();
        auto const add_unknown = [&] {  // unless it is an error
            if (found.error_count() == errors) add(infra::instance_key::unknown());
        };
        if (has_unknown_step(path)) add_unknown();
        else if (r.count) {
            auto const count = language::evaluate_count(r.count, in, found, unknown_repetition_);
            expanded.instances.reserve(expanded.instances.size() + count.value_or(0));
            for (std::size_t i = 0; i < count.value_or(0); ++i) add(infra::instance_key(static_cast<std::int64_t>(i)));
            if (!count) add_unknown();
        } else if (r.for_each) {
            auto entries = language::evaluate_for_each(r.for_each, in, found, unknown_repetition_);
            if (!entries) {
                add_unknown();
                continue;
            }
            for (language::value_entry const& e : *entries) add(infra::instance_key(e.key));
            repetitions.push_back({to_string(path), value::object(std::move(*entries))});
        } else if (r.enabled) {
            auto const enabled = language::evaluate_enabled(r.enabled, in, found, unknown_repetition_);
            if (enabled.value_or(false)) add({});
            if (!enabled) add_unknown();
        } else add({});
    }
    if (found.has_errors()) return infra::failure(found);
    if (has_conditions(d)) {
        std::vector<std::string> objects;
        for (infra::address const& a : expanded.instances)
            if (!has_unknown_key(a)) objects.push_back(to_string(a));
        if (results_ != nullptr && objects.empty() == expanded.instances.empty()) results_->expand(d.name, objects);
    }
    if (r.for_each) expanded.repetition = value::object(std::move(repetitions));
    return expanded;
}

auto hcl_program::expand_call(
    declaration const& d, module_path const& path, scope_type const& scope, infra::diagnostics& found) const -> value
{
    if (deferred_modules_.contains(d.name)) return value::unknown();
    instance_scope const in(*this, scope, *d.in, path);
    if (d.call()->count) {
        auto const count = language::evaluate_count(d.call()->count, in, found, unknown_repetition_);
        return count ? value(language::number(*count)) : value::unknown();
    }
    if (d.call()->enabled) {
        auto const enabled = language::evaluate_enabled(d.call()->enabled, in, found, unknown_repetition_);
        return enabled ? value(*enabled) : value::unknown();
    }
    if (!d.call()->for_each) return value(true);
    auto entries = language::evaluate_for_each(d.call()->for_each, in, found, unknown_repetition_);
    return entries ? value::object(std::move(*entries)) : value::unknown();
}

auto hcl_program::object_name(declaration const& d, module_path const& path) const -> std::string
{
    if (has_unknown_step(path)) return {};
    std::string const in = to_string(path);
    return in + (in.empty() ? "" : ".") + d.name.substr(d.in->prefix.size());
}

void hcl_program::expand_rules(declaration const& d, std::vector<module_path> const& paths) const
{
    bool const any = d.check() != nullptr || (d.output() != nullptr && !d.output()->preconditions.empty())
        || (d.variable() != nullptr && !d.variable()->validations.empty());
    if (!any) return;
    std::vector<std::string> objects;
    for (module_path const& path : paths)
        if (std::string name = object_name(d, path); !name.empty()) objects.push_back(std::move(name));
    // Without a known object the objects are unknown: some may exist.
    if (results_ != nullptr && objects.empty() == paths.empty()) results_->expand(d.name, objects);
}

}  // namespace iacctl::program
