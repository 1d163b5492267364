// SPDX-License-Identifier: BSL-1.0
#include "module_scope.hpp"

#include "language/evaluation/repetition.hpp"
#include "language/syntax/expression_text.hpp"
#include "language/values/convert.hpp"
#include "messages/configuration.hpp"
#include "provider_requirements.hpp"
#include "variables.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

/// "module.a.", the prefix of addresses in the module.
[[nodiscard]] auto in_module(module_call const& call) -> std::string
{
    return call.child ? call.child->display_name() + "." : std::string();
}

/// The values of the variables of a called module.
/// \param in  the scope of the arguments of the call
[[nodiscard]] auto arguments_of(module_call const& call, scope const& in) -> std::map<std::string, value, std::less<>>
{
    std::map<std::string, value, std::less<>> given;
    diagnostics ignored;
    for (auto const& [name, one] : call.child->variables) given.emplace(name, argument_value(call, one, in, ignored));
    return given;
}

/// The scope of the arguments of a call for one instance of its module.
class repetition_scope final : public inner_scope {
public:
    /// \param own  the values of `count.index`, or of `each.key` and `each.value`, by the last name
    repetition_scope(scope const& outer, std::vector<value_entry> own) : inner_scope(outer), own_(std::move(own)) {}

    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override
    {
        if (r.kind == reference_kind::count || r.kind == reference_kind::each)
            for (value_entry const& one : own_)
                if (one.key == r.name) return one.of;
        return inner_scope::resolve(r, found);
    }

private:
    std::vector<value_entry> own_;
};

}  // namespace

auto module_scope::find_function(std::string_view name) const -> function const*
{
    return find_function_in(of_, name, context_.provided);
}

auto module_scope::way_to_function(std::string_view name) const -> std::string
{
    return way_to_function_in(of_, name, context_.provided);
}

auto module_scope::variable_value(std::string_view name) const -> value
{
    if (variables_)
        if (auto const given = variables_->find(name); given != variables_->end()) return given->second;
    auto const declared = of_.variables.find(name);
    if (declared == of_.variables.end()) return value::unknown();
    auto const made = value::unknown(declared->second.constraint.of.without_optional());
    return made.with_marks(declared->second.marks());
}

auto module_scope::local(std::string_view name) const -> value
{
    if (auto const known = locals_.find(name); known != locals_.end()) return known->second;
    auto const declared = of_.locals.find(name);
    if (declared == of_.locals.end() || !under_way_.insert(std::string(name)).second) return value::unknown();
    diagnostics ignored;  // reported by the check of the local value
    auto made = evaluate(declared->second.of, *this, ignored);
    under_way_.erase(std::string(name));
    return locals_.insert_or_assign(std::string(name), std::move(made)).first->second;
}

auto module_scope::outputs_of(module_call const& call) const -> value
{
    if (!call.child) return value::unknown();
    if (auto const known = modules_.find(call.name); known != modules_.end()) return known->second;
    auto const key = "module." + call.name;
    if (!under_way_.insert(key).second) return value::unknown();
    auto made = evaluate_outputs(call);
    under_way_.erase(key);
    return modules_.insert_or_assign(call.name, std::move(made)).first->second;
}

auto module_scope::evaluate_outputs(module_call const& call) const -> value
{
    bool const is_single = !call.count && !call.for_each && !call.enabled;
    if (is_single) return outputs_of_instance(call, {}, *this);
    diagnostics ignored;
    if (!objects_) {
        // The number of instances is unknown, but the outputs of each are known.
    } else if (call.count) {
        if (auto const count = evaluate_count(call.count, *this, ignored, unknown_values::allowed)) {
            std::vector<value> all;
            for (std::size_t i = 0; i < *count; ++i) {
                repetition_scope const in(*this, {{"index", value(number(i))}});
                all.push_back(outputs_of_instance(call, "[" + std::to_string(i) + "]", in));
            }
            return value::tuple(std::move(all));
        }
    } else if (call.for_each) {
        if (auto entries = evaluate_for_each(call.for_each, *this, ignored, unknown_values::allowed)) {
            for (value_entry& one : *entries) {
                repetition_scope const in(*this, {{"key", value(one.key)}, {"value", one.of}});
                one.of = outputs_of_instance(call, "[" + quoted_text(one.key) + "]", in);
            }
            return value::object(std::move(*entries));
        }
    } else if (auto const enabled = evaluate_enabled(call.enabled, *this, ignored, unknown_values::allowed)) {
        return *enabled ? outputs_of_instance(call, {}, *this) : value();
    }
    std::vector<type_attribute> outputs;
    for (auto const& [name, one] : call.child->outputs) outputs.push_back({name, type::dynamic(), false});
    auto of = type::object(std::move(outputs));
    if (call.enabled) return value::unknown(std::move(of));
    return value::unknown(call.count ? type::list(std::move(of)) : type::map(std::move(of)));
}

auto module_scope::variables_of(module_call const& call, value const& key) const
    -> std::optional<std::map<std::string, value, std::less<>>>
{
    if (!call.child) return std::nullopt;
    diagnostics ignored;
    if (call.count) {
        auto const count = evaluate_count(call.count, *this, ignored, unknown_values::allowed);
        auto const index =
            key.has_data() && key.is(type_kind::number) ? key.as_number().as_int64() : std::optional<std::int64_t>();
        if (!index || *index < 0 || (count && static_cast<std::size_t>(*index) >= *count)) return std::nullopt;
        return arguments_of(call, repetition_scope(*this, {{"index", key}}));
    }
    if (call.for_each) {
        if (!key.has_data() || !key.is(type_kind::string)) return std::nullopt;
        auto const entries = evaluate_for_each(call.for_each, *this, ignored, unknown_values::allowed);
        if (!entries) return arguments_of(call, repetition_scope(*this, {{"key", key}, {"value", value::unknown()}}));
        auto const found = std::ranges::find(*entries, key.as_string(), &value_entry::key);
        if (found == entries->end()) return std::nullopt;
        return arguments_of(call, repetition_scope(*this, {{"key", key}, {"value", found->of}}));
    }
    if (!key.is_null()) return std::nullopt;
    auto const enabled = call.enabled ? evaluate_enabled(call.enabled, *this, ignored, unknown_values::allowed)
                                      : std::optional<bool>(true);
    if (enabled && !*enabled) return std::nullopt;
    return arguments_of(call, *this);
}

auto module_scope::outputs_of_instance(module_call const& call, std::string_view key, scope const& in) const -> value
{
    auto const given = arguments_of(call, in);
    diagnostics ignored;
    auto path = path_ + (path_.empty() ? "module." : ".module.") + call.name;
    path += key;
    module_scope const inside(*call.child, &given, objects_, context_, std::move(path));
    std::vector<value_entry> made;
    for (auto const& [name, one] : call.child->outputs) {
        auto of = one.of ? evaluate_output(one, inside, ignored) : value::unknown();
        if (!one.ephemeral && of.has_deep(mark::ephemeral)) of = value::unknown();  // reported with the output
        made.push_back({name, of.with_marks(one.marks())});
    }
    return value::object(std::move(made));
}

auto module_scope::resolve(reference const& r, diagnostics&) const -> value
{
    switch (r.kind) {
    case reference_kind::variable: return variable_value(r.name);
    case reference_kind::local: return local(r.name);
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::ephemeral: {
        auto const* const declared = of_.find_resource(r);
        auto const made = declared && objects_ ? objects_(path_, *declared) : value::unknown();
        return r.kind == reference_kind::ephemeral ? made.with_marks(mark::ephemeral) : made;
    }
    case reference_kind::module: {
        auto const call = of_.modules.find(r.name);
        return call == of_.modules.end() ? value::unknown() : outputs_of(call->second);
    }
    case reference_kind::path: {
        std::error_code problem;
        if (r.name == "cwd") return value(std::filesystem::current_path(problem).generic_string());
        return value(r.name == "module" ? of_.directory.generic_string() : ".");
    }
    case reference_kind::terraform:
        return r.name == "workspace" ? value("default") : value::unknown(type::boolean()).with_marks(mark::ephemeral);
    case reference_kind::count: return value::unknown(type::number()).refined_not_null();
    case reference_kind::each:
        return r.name == "key" ? value::unknown(type::string()).refined_not_null() : value::unknown();
    case reference_kind::action:
    case reference_kind::list:
    case reference_kind::self:
    case reference_kind::caller: return value::unknown();
    }
    return value::unknown();
}

auto argument_value(module_call const& call, variable const& desired, scope const& in, diagnostics& found) -> value
{
    type const plain = desired.constraint.of.without_optional();
    auto const marked = [&](value const& v) { return v.with_marks(desired.marks()); };
    auto const given = call.argument(desired.name);
    if (!given) return marked(desired.default_value ? *desired.default_value : value::unknown(plain));
    auto const before = found.error_count();
    auto made = evaluate(given, in, found);
    if (found.error_count() > before) return marked(value::unknown(plain));
    if (!desired.ephemeral && made.has_deep(mark::ephemeral)) {
        found.add(error(messages::ephemeral_argument, {desired.name}, given.range()));
        return marked(value::unknown(plain));
    }
    if (desired.constraint.defaults) made = with_defaults(made, *desired.constraint.defaults);
    auto const converted = convert(made, desired.constraint.of);
    auto const refuse = [&](diagnostic wrong) {
        wrong.source.notes = value_notes(given, in);
        found.add(std::move(wrong));
        return marked(value::unknown(plain));
    };
    auto const address = [&] { return in_module(call) + "var." + desired.name; };
    if (!converted)
        return refuse(error(messages::unsuitable_variable_value,
            {address(), desired.range.text(), converted.error().text()}, given.range()));
    if (!converted->is_null() || desired.nullable) return marked(*converted);
    if (desired.default_value) return marked(*desired.default_value);
    return refuse(error(messages::null_variable_value, {address(), desired.range.text()}, given.range()));
}

auto scope::context() const noexcept -> call_context const&
{
    static call_context const none;
    return none;
}

auto scope::find_function(std::string_view name) const -> function const*
{
    return language::find_function(name);
}

auto constant_scope::resolve(reference const&, diagnostics&) const -> value
{
    return value::unknown();
}

}  // namespace iacctl::language
