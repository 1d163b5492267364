// SPDX-License-Identifier: BSL-1.0
#include "instance_scope.hpp"

#include "language/variables.hpp"
#include "providers/provider_set.hpp"

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
    auto const* const known = providers::provider_set::find(r.type);
    return value::unknown(known == nullptr ? type() : known->schema().object_type());
}

}  // namespace

auto instance_scope::resource(language::reference const& r) const -> value
{
    auto const* const row = values_->find(r.address());
    language::resource const* const declared = program_->configuration_.find_resource(r);
    if (row == nullptr || declared == nullptr || !row->is_expanded()) return value::unknown();
    auto const value_of = [&](auto const& slot) {
        value const* const published = slot.get();
        return published != nullptr ? *published : unknown_object(*declared);
    };
    if (declared->count) {
        std::vector<value> all;
        for (auto const& slot : *row) all.push_back(value_of(slot));
        return value::tuple(std::move(all));
    }
    if (declared->for_each) {
        std::vector<language::value_entry> all;
        for (auto const& slot : *row)
            if (auto const* name = slot.target.key().name()) all.push_back({*name, value_of(slot)});
        return value::object(std::move(all));
    }
    return row->size() == 1 ? value_of(*row->begin()) : value::unknown();
}

auto instance_scope::each(language::reference const& r, language::diagnostics& found) const -> value
{
    infra::instance_key const& key = instance_.key();
    if (r.kind == reference_kind::count) {
        if (auto const* index = key.index()) return value(language::number(*index));
    } else if (auto const* name = key.name()) {
        if (r.name == "key") return value(*name);
        auto const* const row = of_ == nullptr ? nullptr : values_->find(of_->name);
        value const* const all = row == nullptr ? nullptr : row->repetition();
        value const* const mine = all == nullptr ? nullptr : all->find(*name);
        if (mine != nullptr) return *mine;
    }
    found.add(language::error("Unknown variable",
        "There is no variable named \"" + std::string(r.kind == reference_kind::count ? "count" : "each") + "\".",
        r.range));
    return value::unknown();
}

auto instance_scope::resolve(language::reference const& r, language::diagnostics& found) const -> value
{
    auto const published = [&](std::string const& name) {
        value const* const v = values_->value(name);
        return v != nullptr ? *v : value::unknown();
    };
    switch (r.kind) {
    case reference_kind::resource:
    case reference_kind::data: return resource(r);
    case reference_kind::variable: return own_ != nullptr ? *own_ : published(r.address());
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
        return value(".");
    case reference_kind::terraform: return r.name == "applying" ? value(false) : value(program_->workspace_);
    case reference_kind::module: return value::unknown();
    }
    return value::unknown();
}

void check_rule(language::check_rule const& rule, instance_scope const& in, std::string_view kind,
    std::string_view summary, language::source_range const& subject, language::diagnostics& found)
{
    auto const result = language::evaluate_rule(rule, std::string(kind), in, found);
    if (!result.decided || result.holds) return;
    auto failed = language::error(std::string(summary), result.message, subject);
    failed.notes = language::value_notes(rule.condition, in);
    found.add(std::move(failed));
}

}  // namespace iacctl::program
