// SPDX-License-Identifier: BSL-1.0
#include "instance_scope.hpp"

#include "language/provider_requirements.hpp"
#include "object_codec.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::program {

using language::reference_kind;
using language::type;

namespace {

// An object of which nothing is known yet.
auto unknown_object(language::resource const& r) -> value
{
    bool const data = r.mode == language::resource_mode::data;
    infra::address const a({}, data ? infra::resource_mode::data : infra::resource_mode::managed, r.type, r.name, {});
    auto const* const schema = schema_of(a);
    return value::unknown(schema == nullptr ? type() : schema->object_type());
}

}  // namespace

// In a module, the value of a declaration has that of each instance by its path.
auto instance_scope::find_function(std::string_view name) const -> language::function const*
{
    return language::find_function_in(*module_->of, name);
}

auto instance_scope::published(std::string const& name) const -> value
{
    value const* const v = values_->value(module_->prefix + name);
    if (v == nullptr) return value::unknown();
    if (module_->is_root()) return *v;
    value const* const mine = v->find(path_text_);
    return mine != nullptr ? *mine : value::unknown();
}

auto instance_scope::resource(language::reference const& r) const -> value
{
    auto const* const row = values_->find(module_->prefix + r.address());
    language::resource const* const declared = module_->of->find_resource(r);
    if (row == nullptr || declared == nullptr || !row->is_expanded()) return value::unknown();
    // An instance that a plan for others has left out, and that state has not, is none.
    auto const is_there = [&](auto const& slot) { return slot.target.module() == path_ && slot.get() != nullptr; };
    if (declared->count) {
        std::vector<value> all;
        for (auto const& slot : *row) {
            auto const* const index = slot.target.key().index();
            if (index == nullptr || !is_there(slot)) continue;
            all.resize(static_cast<std::size_t>(*index), unknown_object(*declared));
            all.push_back(*slot.get());
        }
        return value::tuple(std::move(all));
    }
    if (declared->for_each) {
        std::vector<language::value_entry> all;
        for (auto const& slot : *row)
            if (auto const* name = slot.target.key().name(); name != nullptr && is_there(slot))
                all.push_back({*name, *slot.get()});
        return value::object(std::move(all));
    }
    for (auto const& slot : *row)
        if (is_there(slot)) return *slot.get();
    return unknown_object(*declared);
}

auto instance_scope::each(language::reference const& r, language::diagnostics& found) const -> value
{
    if (r.kind == reference_kind::count) {
        if (auto const* index = key_.index()) return value(language::number(*index));
    } else if (auto const* name = key_.name()) {
        if (r.name == "key") return value(*name);
        auto const* const row = values_->find(repeated_);
        // Of a resource what it is repeated by stands beside it; of a call it is the value.
        value const* all = row == nullptr ? nullptr : row->repetition();
        if (all == nullptr) all = values_->value(repeated_);
        value const* const entries = all == nullptr ? nullptr : all->find(path_text_);
        value const* const mine = entries == nullptr ? nullptr : entries->find(*name);
        if (mine != nullptr) return *mine;
    }
    found.add(language::error("Unknown variable",
        "There is no variable named \"" + std::string(r.kind == reference_kind::count ? "count" : "each") + "\".",
        r.range));
    return value::unknown();
}

auto instance_scope::outputs_of(hcl_program::module const& m, infra::instance_key key) const -> value
{
    auto path = path_;
    path.push_back({m.call->name, std::move(key)});
    auto const text = to_string(path);
    std::vector<language::value_entry> all;
    for (auto const& [name, declared] : m.of->outputs) {
        value const* const row = values_->value(m.prefix + "output." + name);
        value const* const mine = row == nullptr ? nullptr : row->find(text);
        all.push_back({name, mine != nullptr ? *mine : value::unknown()});
    }
    return value::object(std::move(all));
}

auto instance_scope::called(language::reference const& r) const -> value
{
    hcl_program::module const* const m = program_->called(*module_, r.name);
    if (m == nullptr) return value::unknown();
    value const* const row = values_->value(m->name());
    value const* const keys = row == nullptr ? nullptr : row->find(path_text_);
    if (keys == nullptr || !keys->has_data()) return value::unknown();
    if (keys->is(language::type_kind::number)) {
        std::vector<value> all;
        auto const count = keys->as_number().as_int64().value_or(0);
        for (std::int64_t i = 0; i < count; ++i) all.push_back(outputs_of(*m, infra::instance_key(i)));
        return value::tuple(std::move(all));
    }
    if (keys->is(language::type_kind::object)) {
        std::vector<language::value_entry> all;
        for (auto const& entry : keys->entries())
            all.push_back({entry.key, outputs_of(*m, infra::instance_key(entry.key))});
        return value::object(std::move(all));
    }
    return outputs_of(*m, {});
}

auto instance_scope::resolve(language::reference const& r, language::diagnostics& found) const -> value
{
    switch (r.kind) {
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::ephemeral: return resource(r);
    case reference_kind::variable: return own_ != nullptr && r.name == *own_name_ ? *own_ : published(r.address());
    case reference_kind::local: return published(r.address());
    case reference_kind::count:
    case reference_kind::each: return each(r, found);
    case reference_kind::self:
        if (self_ != nullptr) return *self_;
        found.add(language::error("Invalid \"self\" reference",
            "The \"self\" object is not available in this context. This object can be used only in resource "
            "provisioner, connection, and postcondition blocks.",
            r.range));
        return value::unknown();
    case reference_kind::path:
        if (r.name == "cwd") return value(std::filesystem::current_path().generic_string());
        return value(r.name == "module" ? module_->of->directory.generic_string() : ".");
    case reference_kind::terraform:
        return r.name == "applying" ? value(program_->functions_see().applying).with_marks(language::mark::ephemeral)
                                    : value(program_->workspace_);
    case reference_kind::module: return called(r);
    }
    return value::unknown();
}

}  // namespace iacctl::program
