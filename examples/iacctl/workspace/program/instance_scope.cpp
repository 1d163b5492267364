// SPDX-License-Identifier: BSL-1.0
#include "instance_scope.hpp"

#include "base/unicode.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/validation/validate.hpp"
#include "messages/program.hpp"
#include "messages/validation.hpp"
#include "object_codec.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::program {

using language::reference_kind;
using language::type;

namespace {

// An unknown object.
auto unknown_object(hcl_program::module const& in, language::resource const& r) -> value
{
    if (r.mode == language::resource_mode::list) return value::unknown();  // the schema is that of its arguments
    auto const* const schema = in.known->find_type(language::provider_of(*in.of, r), mode_of(r.mode), r.type);
    return value::unknown(schema == nullptr ? type() : schema->object_type);
}

auto marks_of(language::resource const& r) -> language::mark
{
    return r.mode == language::resource_mode::ephemeral ? language::mark::ephemeral : language::mark::none;
}

}  // namespace

auto instance_scope::find_function(std::string_view name) const -> language::function const*
{
    return language::find_function_in(*module_->of, name, context().provided);
}

auto instance_scope::way_to_function(std::string_view name) const -> std::string
{
    return language::way_to_function_in(*module_->of, name, context().provided);
}

// In a module, the value of a declaration contains that of each instance by its path.
auto instance_scope::published(language::reference const& r, infra::diagnostics& found) const -> value
{
    value const* const v = values_->value(module_->prefix + r.address());
    if (v == nullptr) return missing(r, found);
    if (module_->is_root()) return *v;
    value const* const mine = v->find(path_text_);
    return mine != nullptr ? *mine : value::unknown();
}

// The content of a dynamic block is evaluated only if there are such blocks, and may refer to missing objects.
auto instance_scope::missing(language::reference const& r, infra::diagnostics& found) const -> value
{
    (void)language::report_undeclared(*module_->of, r, found);
    return value::unknown();
}

auto instance_scope::resource(language::reference const& r, infra::diagnostics& found) const -> value
{
    auto const* const row = values_->find(module_->prefix + r.address());
    language::resource const* const declared = module_->of->find_resource(r);
    if (row == nullptr || declared == nullptr || !row->is_expanded()) return missing(r, found);
    auto const marks = marks_of(*declared);
    // An instance that is neither in state nor in a plan for other instances does not exist.
    auto const slots = row->in_module(path_);
    bool const unknown = row->is_partial() && (slots.empty() || slots.front().target.key().is_unknown());
    if (unknown)
        return (declared->count || declared->for_each ? value::unknown() : unknown_object(*module_, *declared))
            .with_marks(marks);
    if (declared->count) {
        std::vector<value> all;
        all.reserve(slots.size());
        for (auto const& slot : slots) {
            auto const* const index = slot.target.key().index();
            if (index == nullptr || slot.get() == nullptr) continue;
            all.resize(static_cast<std::size_t>(*index), unknown_object(*module_, *declared));
            all.push_back(slot.get()->with_marks(marks));
        }
        return value::tuple(std::move(all));
    }
    if (declared->for_each) {
        std::vector<language::value_entry> all;
        all.reserve(slots.size());
        for (auto const& slot : slots)
            if (auto const* name = slot.target.key().name(); name != nullptr && slot.get() != nullptr)
                all.push_back({*name, slot.get()->with_marks(marks)});
        return value::object(std::move(all));
    }
    for (auto const& slot : slots)
        if (slot.get() != nullptr) return slot.get()->with_marks(marks);
    if (declared->enabled && slots.empty()) {
        auto const absent = unknown_object(*module_, *declared);
        return value::null(absent.get_type()).with_marks(marks);
    }
    return unknown_object(*module_, *declared).with_marks(marks);
}

auto instance_scope::each(language::reference const& r, infra::diagnostics& found) const -> value
{
    if (key_.is_unknown()) {
        if (r.kind == reference_kind::count) return value::unknown(type::number());
        return value::unknown(r.name == "key" ? type::string() : type());
    }
    if (each_ != nullptr && r.kind == reference_kind::each) return r.name == "key" ? value(each_->key) : each_->of;
    if (r.kind == reference_kind::count) {
        if (auto const* index = key_.index()) return value(language::number(*index));
    } else if (auto const* name = key_.name()) {
        if (r.name == "key") return value(*name);
        auto const* const row = values_->find(repeated_);
        // The repetition of a resource is separate from its value; that of a call is its value.
        value const* all = row == nullptr ? nullptr : row->repetition();
        if (all == nullptr) all = values_->value(repeated_);
        value const* const entries = all == nullptr ? nullptr : all->find(path_text_);
        value const* const mine = entries == nullptr ? nullptr : entries->find(*name);
        if (mine != nullptr) return *mine;
    }
    found.add(language::error(
        messages::repetition_unavailable, {r.kind == reference_kind::count ? "count" : "each"}, r.range));
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

auto instance_scope::keys_of(hcl_program::module const* m) const -> value const*
{
    value const* const row = m == nullptr ? nullptr : values_->value(m->name());
    value const* const keys = row == nullptr ? nullptr : row->find(path_text_);
    return keys != nullptr && keys->has_data() ? keys : nullptr;
}

auto instance_scope::called(language::reference const& r, infra::diagnostics& found) const -> value
{
    hcl_program::module const* const m = program_->all_->called(*module_, r.name);
    value const* const keys = keys_of(m);
    if (keys == nullptr) return missing(r, found);
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
    if (!keys->as_bool()) return value::null(type());
    return outputs_of(*m, {});
}

auto instance_scope::directory(language::reference const& r, infra::diagnostics& found) const -> value
{
    std::error_code problem;
    std::string name = r.name == "cwd" ? std::filesystem::current_path(problem).generic_string()
        : r.name == "module"           ? module_->of->directory.generic_string()
                                       : program_->configuration().directory.generic_string();
    if (!problem && is_utf8(name)) return value(std::move(name));
    found.add(problem
            ? language::error(messages::current_directory_unknown, {problem.message()}, r.range)
            : language::error(messages::directory_not_utf8, {shown_bytes(name), utf8_mistake(name)}, r.range));
    return value::unknown();
}

auto instance_scope::instance(language::reference const& r) const -> std::optional<value>
{
    auto key = instance_key_of(r.key);
    if (r.kind == reference_kind::module) {
        auto const* const m = program_->all_->called(*module_, r.name);
        value const* const keys = keys_of(m);
        if (keys == nullptr) return std::nullopt;
        auto const* const index = key.index();
        bool const there = index != nullptr
            ? keys->is(language::type_kind::number) && *index >= 0 && *index < keys->as_number().as_int64().value_or(0)
            : key.name() != nullptr && keys->find(*key.name()) != nullptr;
        return there ? std::optional(outputs_of(*m, std::move(key))) : std::nullopt;
    }
    auto const* const row = values_->find(module_->prefix + r.address());
    auto const* const declared = module_->of->find_resource(r);
    bool const repeated = declared != nullptr
        && ((declared->count && key.index() != nullptr) || (declared->for_each && key.name() != nullptr));
    if (row == nullptr || !repeated) return std::nullopt;
    auto const* const slot =
        row->find({path_, mode_of(declared->mode), declared->type, declared->name, std::move(key)});
    value const* const published = slot == nullptr ? nullptr : slot->get();
    return published == nullptr ? std::nullopt : std::optional(published->with_marks(marks_of(*declared)));
}

auto instance_scope::resolve(language::reference const& r, infra::diagnostics& found) const -> value
{
    switch (r.kind) {
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::ephemeral:
    case reference_kind::list: return resource(r, found);
    case reference_kind::variable: return own_ != nullptr && r.name == *own_name_ ? *own_ : published(r, found);
    case reference_kind::local: return published(r, found);
    case reference_kind::count:
    case reference_kind::each: return each(r, found);
    case reference_kind::action: return value::unknown();  // rejected by the validation
    case reference_kind::self:
        if (self_ != nullptr) return *self_;
        found.add(language::error(messages::self_unavailable, r.range));
        return value::unknown();
    case reference_kind::caller:
        if (caller_ != nullptr) return *caller_;
        found.add(language::error(messages::caller_unavailable, r.range));
        return value::unknown();
    case reference_kind::path: return directory(r, found);
    case reference_kind::terraform:
        return r.name == "applying" ? value(program_->functions_see().applying).with_marks(language::mark::ephemeral)
                                    : value(program_->all_->workspace_);
    case reference_kind::module: return called(r, found);
    }
    return value::unknown();
}

}  // namespace iacctl::program
