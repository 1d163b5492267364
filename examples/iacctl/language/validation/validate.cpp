// SPDX-License-Identifier: BSL-1.0
#include "validate.hpp"

#include "base/parallel_chunks.hpp"
#include "base/provider_address.hpp"
#include "language/configuration/module_scope.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/variables.hpp"
#include "language/configuration/version_constraint.hpp"
#include "language/evaluation/body_reader.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/functions.hpp"
#include "language/evaluation/repetition.hpp"
#include "language/syntax/suggestion.hpp"
#include "language/values/convert.hpp"
#include "messages/validation.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>

namespace iacctl::language {

namespace {

template <class Map>
[[nodiscard]] auto names_of(Map const& map) -> std::vector<std::string_view>
{
    std::vector<std::string_view> names;
    for (auto const& [name, of] : map) names.push_back(name);
    return names;
}

/// The scope inside `dynamic` blocks with unknown elements.
class bound_scope final : public inner_scope {
public:
    bound_scope(scope const& outer, bound_names const& bound) : inner_scope(outer), bound_(bound) {}

    [[nodiscard]] auto variable(std::string_view name) const -> value const* override
    {
        static value const unknown = value::unknown();
        return std::ranges::find(bound_, name) == bound_.end() ? inner_scope::variable(name) : &unknown;
    }

private:
    bound_names const& bound_;
};

/// The part of a file with an error.
struct wrong_range {
    wrong_range(source_range const& of) : file(of.file->name()), bytes(of.bytes) {}
    wrong_range(source_excerpt const& of) : file(of.file), bytes{of.byte, of.end.byte} {}

    std::string file;
    byte_range bytes;
};
/// References with errors.
using wrong_ranges = std::vector<wrong_range>;

/// Returns whether a problem is at a reference that has been reported: its evaluation fails in consequence.
[[nodiscard]] auto is_consequence(diagnostic const& of, wrong_ranges const& reported) -> bool
{
    return std::ranges::any_of(reported, [&](wrong_range const& one) {
        return one.file == of.source.file && one.bytes.begin <= of.source.byte && of.source.byte < one.bytes.end;
    });
}

class validator {
public:
    validator(
        configuration const& of, schema_source const& schemas, diagnostics& found, validation_options const& how = {})
        : of_(of),
          schemas_(schemas),
          found_(found),
          how_(how),
          unknown_(of, nullptr, {}, {.provided = schemas.functions()})
    {}

    void run(std::set<provider_block const*> const& used)
    {
        for (auto const& [name, one] : of_.variables) check_variable(one);
        for (auto const& [name, one] : of_.locals) check_local(one);
        for (auto const& [name, one] : of_.outputs) {
            if (one.ephemeral && of_.is_root() && !how_.ephemeral_root_outputs)
                found_.add(error(messages::ephemeral_root_output, one.range));
            auto const made = check_output(one);
            if (!one.ephemeral && made.has_deep(mark::ephemeral)) report_ephemeral_output(one, found_);
            if (of_.is_root() && one.marks() == mark::none && made.has_deep(mark::sensitive))
                report_sensitive_output(one, found_);
            for (auto const& rule : one.preconditions) check_rule(rule, {});
            for (auto const& refers : one.depends_on) check(refers, {});
        }
        check_resources();
        for (auto const& [name, one] : of_.providers) {
            if (!used.contains(&one)) continue;
            auto const* const desired = schemas_.provider(provider_named(of_, one.name));
            auto const before = found_.error_count();
            if (desired) check_body(one.content, *desired, found_);
            auto const made = check_content(one.content, desired, {.has_each = static_cast<bool>(one.for_each)});
            if (desired && found_.error_count() == before)
                ask_provider(
                    configured_block::provider, provider_named(of_, one.name), {}, one.content, *desired, made, {});
        }
        if (!of_.is_root() && of_.backend) found_.add(warning(messages::backend_in_child_module, of_.backend->range));
        for (auto const& [name, one] : of_.modules) check_call(one);
        for (auto const& [name, one] : of_.checks) {
            if (one.data) check_resource(*one.data);
            for (auto const& rule : one.assertions) check_rule(rule, {.check = &one});
        }
        for (auto const& one : of_.imports) {
            check_import(one);
            auto const all = check_expression(one.for_each, {});
            if (one.for_each && !all.is(type_kind::dynamic) && all.get_type().is_primitive())
                found_.add(error(messages::import_for_each_not_collection, one.for_each.range()));
            check_expression(one.identity, {nullptr, nullptr, false, true, static_cast<bool>(one.for_each)});
            check_id(
                one.id, check_expression(one.id, {nullptr, nullptr, false, true, static_cast<bool>(one.for_each)}));
        }
    }

    void expression_references(expression const& in, reference_context const& context)
    {
        static_cast<void>(wrong_references(in, context));
    }

private:
    /// Checks each resource independently; many resources are checked by several threads, each with its own validator.
    void check_resources()
    {
        std::vector<resource const*> all;
        for (auto const& [address, one] : of_.resources) all.push_back(&one);
        auto const part = [&](std::size_t from, std::size_t to) {
            diagnostics found;
            validator one(of_, schemas_, found);
            for (std::size_t i = from; i != to; ++i) one.check_resource(*all[i]);
            return found;
        };
        for (auto const& found : parallel_chunks(all.size(), 4000, part)) found_.add(found);
    }

    /// Also evaluates it with all values that are known before a plan, which reveals expressions that can never
    /// succeed.
    auto check_expression(expression const& of, reference_context const& context) -> value
    {
        if (!of) return {};
        auto const wrong = wrong_references(of, context);
        auto made = evaluated(wrong, [&](diagnostics& found) { return evaluate(of, unknown_, found); });
        return wrong.empty() ? made : value::unknown();
    }

    /// Checks the references of an expression. \return the ranges of those with errors
    wrong_ranges wrong_references(expression const& in, reference_context const& context, bound_names const& bound = {})
    {
        wrong_ranges wrong;
        if (!in) return wrong;
        diagnostics malformed;
        for (auto const& refers : references_of(in, malformed, bound)) {
            auto const before = found_.error_count();
            check(refers, context);
            if (found_.error_count() > before) wrong.emplace_back(refers.range);
        }
        for (diagnostic const& one : malformed) wrong.emplace_back(one.source);
        found_.add(malformed);
        // The evaluation may not reach calls that depend on a wrong reference.
        if (!wrong.empty())
            for_each_call(in, [&](syntax::call const& one) {
                if (unknown_.find_function(one.name)) return;
                auto reported = unknown_function(in, one);
                wrong.emplace_back(reported.source);
                found_.add(std::move(reported));
            });
        return wrong;
    }

    /// Evaluates what contains references with errors; other errors in it are reported, too.
    template <class Evaluate>
    auto evaluated(wrong_ranges const& wrong, Evaluate evaluate) -> std::invoke_result_t<Evaluate, diagnostics&>
    {
        if (wrong.empty()) return evaluate(found_);
        diagnostics found;
        auto made = evaluate(found);
        for (diagnostic const& one : found)
            if (!is_consequence(one, wrong)) found_.add(one);
        return made;
    }

    template <class Repeated>
    void check_repetition(Repeated const& of)
    {
        auto const& [count, for_each, enabled] = std::tie(of.count, of.for_each, of.enabled);
        // Values that are unknown before a plan are checked by the plan.
        static constexpr auto later = unknown_values::allowed;
        auto const check_one = [&](expression const& one, auto evaluate) {
            if (!one) return;
            auto const wrong = wrong_references(one, {});
            static_cast<void>(
                evaluated(wrong, [&](diagnostics& found) { return evaluate(one, unknown_, found, later); }));
        };
        check_one(count, [](auto&&... all) { return evaluate_count(all...); });
        check_one(for_each, [](auto&&... all) { return evaluate_for_each(all...); });
        check_one(enabled, [](auto&&... all) { return evaluate_enabled(all...); });
    }

    auto check_output(output_value const& of) -> value
    {
        if (!of.of) return value::unknown();
        auto const wrong = wrong_references(of.of, {});
        auto made = evaluated(wrong, [&](diagnostics& found) { return evaluate_output(of, unknown_, found); });
        return wrong.empty() ? made : value::unknown();
    }

    void check_local(local_value const& of)
    {
        check_expression(of.of, {});
        diagnostics ignored;
        for (auto const& refers : references_of(of.of, ignored))
            if (refers.kind == reference_kind::local && refers.name == of.name)
                found_.add(error(messages::self_referring_local, {of.name}, refers.range, of.of.range()));
    }

    /// Checks the rules of a variable with its known value; in the root module there is none.
    void check_variable(variable const& of)
    {
        auto const before = found_.error_count();
        for (auto const& rule : of.validations) check_rule(rule, {});
        if (found_.error_count() == before && of_.is_root()) check_validations(of, unknown_, found_);
    }

    void check_id(expression const& of, value const& given)
    {
        if (!of || given.is_unknown()) return;
        auto const text = convert(given, type::string());
        if (!text) return found_.add(error(messages::import_id_not_text, {text.error().text()}, of.range()));
        if (!text->is_null() && !text->as_string().empty()) return;
        found_.add(error(text->is_null() ? messages::import_id_null : messages::import_id_empty, of.range()));
    }

    void check_rule(check_rule const& rule, reference_context const& context)
    {
        check_expression(rule.condition, context);
        check_expression(rule.error_message, context);
    }

    auto check_content(body const& content, schema const* desired, reference_context const& context) -> value
    {
        auto const wrong = body_references(content, context);
        if (!desired) return value::unknown();
        return evaluated(wrong, [&](diagnostics& found) { return evaluate_body(content, *desired, unknown_, found); });
    }

    /// Validates a configuration that conforms to its schema with the provider.
    void ask_provider(configured_block what, std::string_view provider, std::string_view type, body const& content,
        schema const& desired, value const& made, std::string const& address)
    {
        for (auto& wrong : schemas_.attribute_problems(what, provider, type, made)) {
            wrong.problem.source = excerpt_of(place_of(wrong.path, content, desired));
            wrong.problem.address = address;
            found_.add(std::move(wrong.problem));
        }
    }

    [[nodiscard]] static auto block_of(resource_mode mode) -> configured_block
    {
        switch (mode) {
        case resource_mode::managed: return configured_block::resource;
        case resource_mode::data: return configured_block::data_source;
        case resource_mode::ephemeral: return configured_block::ephemeral;
        case resource_mode::action: return configured_block::action;
        case resource_mode::list: break;
        }
        return configured_block::list;
    }

    /// The same for the body of an object that is stored.
    void check_stored(resource const& of, schema const* desired, reference_context const& context)
    {
        auto const wrong = body_references(of.content, context);
        if (!desired) return;
        // An argument with a wrong reference is unknown, which hides no error of another one.
        auto const before = found_.error_count();
        static constexpr std::array<std::string_view, 8> reserved{
            "count", "for_each", "provider", "dynamic", "depends_on", "lifecycle", "provisioner", "connection"};
        std::span<std::string_view const> const all(reserved);
        check_body(of.content, *desired, found_, of.mode == resource_mode::list ? all.first(4) : all);
        auto const made =
            evaluated(wrong, [&](diagnostics& found) { return evaluate_body(of.content, *desired, unknown_, found); });
        auto const address = (of_.is_root() ? "" : of_.display_name() + ".") + of.address();
        if (found_.error_count() == before)
            ask_provider(block_of(of.mode), provider_of(of_, of), of.type, of.content, *desired, made, address);
        if (of.mode == resource_mode::ephemeral || of.mode == resource_mode::list) return;
        diagnostics refused;
        refuse_ephemeral(of.content, *desired, made, refused);
        if (desired->judge != nullptr && found_.error_count() == before)
            if (auto judged = desired->judge(made.unmarked_deep())) {
                judged->problem.source = excerpt_of(place_of(judged->path, of.content, *desired));
                refused.add(std::move(judged->problem));
            }
        refused.update([&](diagnostic& one) { one.address = address; });
        found_.add(std::move(refused));
    }

    void check_call(module_call const& of)
    {
        reference_context const making{nullptr, &of, false, true};
        check_repetition(of);
        for (auto const& refers : of.depends_on) check(refers, {});
        for (auto const& passed : of.providers)
            if (passed.parent_key.computed) check_expression(passed.parent_key.computed, making);
        if (!of.child) {
            static_cast<void>(body_references(of.content, making));
            return;
        }
        body_shape inputs;
        for (auto const& [name, one] : of.child->variables)
            inputs.arguments.push_back({name, !one.default_value.has_value()});
        check_body(of.content, inputs, found_);
        std::map<std::string, value, std::less<>> given;
        std::set<std::string, std::less<>> failed;
        for (auto const& one : of.content.attributes) {
            auto const before = found_.error_count();
            if (auto const wrong = wrong_references(one.of, making); !wrong.empty())
                static_cast<void>(
                    evaluated(wrong, [&](diagnostics& found) { return evaluate(one.of, unknown_, found); }));
            auto const desired = of.child->variables.find(one.name);
            if (desired != of.child->variables.end() && desired->second.deprecated && reports_deprecations_of(of))
                found_.add(warning(messages::deprecated_variable_used,
                    {desired->first, of.name, *desired->second.deprecated}, one.name_range()));
            if (desired != of.child->variables.end() && desired->second.constant == true)
                check_const_argument(of, desired->first, one);
            if (found_.error_count() == before && desired != of.child->variables.end())
                given.emplace(one.name, argument_value(of, desired->second, unknown_, found_));
            if (found_.error_count() > before) failed.emplace(one.name);
        }
        // Rules that refer to other variables are checked by the plan, as the module may have no instances.
        for (auto const& [name, one] : of.child->variables) {
            if (failed.contains(name)) continue;
            auto const own = given.find(name);
            std::map<std::string, value, std::less<>> const known{
                {name, own != given.end() ? own->second : argument_value(of, one, unknown_, found_)}};
            check_validations(
                one, module_scope(*of.child, &known, {}, unknown_.context()), found_, of.argument(name).range());
        }
    }

    void check_import(import_block const& of)
    {
        auto const* const to = as_traversal(of.to);
        diagnostics ignored;
        auto const target = to ? parse_reference(*to, of.to.file(), ignored) : std::nullopt;
        auto const* const declared = target ? of_.find_resource(*target) : nullptr;
        // Generated configuration contains both.
        bool const same = declared && !of.provider.empty() && declared->provider == of.provider;
        if (of.provider_range && declared && !same)
            found_.add(error(messages::import_provider_of_declared_resource, of.provider_range));
    }

    auto body_references(body const& content, reference_context const& context) -> wrong_ranges
    {
        wrong_ranges wrong;
        // The content of a dynamic block is checked only if it is known that there are such blocks.
        auto const has_blocks = [&](expression const& for_each, bound_names const& bound) {
            diagnostics ignored;
            auto const all = evaluate(for_each, bound_scope(unknown_, bound), ignored);
            return all.has_data() && all.size() > 0;
        };
        for_each_expression(
            content,
            [&](expression const& one, bound_names const& bound) {
                for (wrong_range const& reported : wrong_references(one, context, bound)) wrong.push_back(reported);
            },
            has_blocks);
        return wrong;
    }

    /// Many resources, one after the other, have the same type.
    [[nodiscard]] auto schema_of(resource const& of) -> schema const*
    {
        bool const is_same =
            last_ && last_->mode == of.mode && last_->type == of.type && last_->provider == of.provider;
        if (!is_same) of_last_ = find_schema(of);
        last_ = &of;
        return of_last_;
    }
    [[nodiscard]] auto find_schema(resource const& of) const -> schema const*
    {
        auto const provider = provider_of(of_, of);
        switch (of.mode) {
        case resource_mode::managed: return schemas_.resource(provider, of.type);
        case resource_mode::data: return schemas_.data_source(provider, of.type);
        case resource_mode::ephemeral: return schemas_.ephemeral(provider, of.type);
        case resource_mode::action: return schemas_.action(provider, of.type);
        case resource_mode::list: return schemas_.list(provider, of.type);
        }
        return nullptr;
    }

    void check_replace_trigger(expression const& trigger, resource const& of)
    {
        diagnostics reported_below;
        for (auto const& refers : references_of(trigger, reported_below))
            if (refers.kind == reference_kind::data && of_.find_resource(refers))
                return found_.add(error(messages::trigger_of_data_source, {refers.address()}, refers.subject));
        expression_references(trigger, {&of, nullptr, false, true});
    }

    void check_resource(resource const& of)
    {
        auto const* const desired = schema_of(of);
        if (!desired) { report_unknown_type(of); }
        bool const is_action = of.mode == resource_mode::action;
        reference_context const making{&of, nullptr, false, false, false, nullptr, is_action};
        reference_context const inside{&of, nullptr, true, true};
        check_repetition(of);
        for (auto const& expression : {of.count, of.for_each, of.enabled}) owner_references(expression, of);
        check_stored(of, desired, making);
        for (auto const& refers : of.depends_on) check(refers, {&of, nullptr, false, true});
        if (of.provider_key.computed) check_expression(of.provider_key.computed, making);
        check_expression(of.lifecycle.prevent_destroy, {&of, nullptr, false, false});
        for (auto const& trigger : of.lifecycle.replace_triggered_by) check_replace_trigger(trigger, of);
        for (auto const& trigger : of.lifecycle.action_triggers) check_action_trigger(trigger, of);
        for (auto const& rule : of.lifecycle.preconditions) check_rule(rule, {&of, nullptr, false, true});
        for (auto const& rule : of.lifecycle.postconditions) check_rule(rule, inside);
        if (of.connection) {
            if (of.provisioners.empty())
                static_cast<void>(body_references(*of.connection, inside));  // the connection is not used
            else check_connection(*of.connection, inside);
        }
        for (auto const& one : of.provisioners) {
            auto const* const shape = schemas_.provisioner(one.type);
            if (!shape) found_.add(error(messages::unknown_provisioner, {one.type}, one.range));
            else if (!schemas_.runs(one.type))
                found_.add(error(messages::remote_provisioner_unsupported, {one.type}, one.range));
            if (shape) check_body(one.content, *shape, found_);
            check_content(one.content, shape, inside);
            if (one.connection) check_connection(*one.connection, inside);
        }
        for (auto const& ignored : of.lifecycle.ignore_changes) check_ignored(ignored, desired, of);
    }

    void report_unknown_type(resource const& of)
    {
        auto const provider = provider_of(of_, of);
        if (!schemas_.has_provider(provider)) return;
        auto const shown = shown_provider(provider);
        bool const managed = of.mode == resource_mode::managed;
        if (managed && schemas_.data_source(provider, of.type))
            found_.add(error(messages::data_source_as_resource, {shown, of.type}, of.type_range));
        else if (of.mode == resource_mode::data && schemas_.resource(provider, of.type))
            found_.add(error(messages::resource_as_data_source, {shown, of.type}, of.type_range));
        else {
            auto const& reported = managed         ? messages::unknown_resource_type
                : of.mode == resource_mode::data   ? messages::unknown_data_source
                : of.mode == resource_mode::action ? messages::unknown_action_type
                : of.mode == resource_mode::list   ? messages::unknown_list_type
                                                   : messages::unknown_ephemeral_type;
            found_.add(error(
                reported, {shown, of.type, did_you_mean(of.type, schemas_.types(provider, of.mode))}, of.type_range));
        }
    }

    void check_connection(body const& content, reference_context const& context)
    {
        if (auto const* const shape = schemas_.connection()) check_body(content, *shape, found_);
        static_cast<void>(body_references(content, context));
    }

    void check_ignored(expression const& of, schema const* desired, resource const& owner)
    {
        auto const* const path = as_traversal(of);
        if (!path || !desired) return;
        std::vector<syntax::step> steps{{path->root, nullptr, path->root_range()}};
        steps.insert(steps.end(), path->steps.begin(), path->steps.end());
        check_steps(steps, *desired, of.file(), found_);
        auto const* const attribute = desired->find(path->root);
        if (attribute && attribute->computed && !attribute->optional && !attribute->required)
            found_.add(warning(messages::redundant_ignore_changes, {attribute->name}, owner.type_range));
    }

    void owner_references(expression const& in, resource const& owner)
    {
        if (!in) return;
        diagnostics ignored;
        for (auto const& refers : references_of(in, ignored))
            if (is_owner(refers, owner)) report_self(refers, owner);
    }

    [[nodiscard]] static auto is_owner(reference const& of, resource const& owner) -> bool
    {
        // The kinds of objects are the first enumerators, in the order of the modes.
        bool const kind = static_cast<std::uint8_t>(of.kind) == static_cast<std::uint8_t>(owner.mode);
        return kind && of.type == owner.type && of.name == owner.name;
    }

    void report_self(reference const& of, resource const& owner)
    {
        bool const repeated = owner.count || owner.for_each;
        auto const reported =
            error(messages::self_reference, {repeated ? of.address_with_key() : of.address()}, of.subject);
        found_.add(reported);
        // Terraform reports it for the resource and for its instance, which have the same address here.
        if (!repeated) found_.add(reported);
    }

    /// Instances that refer to all instances depend on each other; a single one is not a self reference.
    void report_circle(reference const& of)
    {
        auto const address = of.address();
        found_.add(error(messages::cycle_within_resource,
            {address, of.range.file->name() + ":" + std::to_string(of.range.file->line_of(of.range.bytes.begin))}));
    }

    void check(reference const& of, reference_context const& context)
    {
        if (report_undeclared(of_, of, found_)) return;
        auto const name = std::string(of.name);
        switch (of.kind) {
        case reference_kind::variable:
        case reference_kind::local:
        case reference_kind::module: check_output_reference(of); break;
        case reference_kind::count: check_count(of, context); break;
        case reference_kind::each: check_each(of, context); break;
        case reference_kind::self:
            if (context.self && context.owner) {
                if (auto const* const desired = schema_of(*context.owner))
                    check_steps(of.steps, *desired, of.range.file, found_);
            } else if (!context.self) found_.add(error(messages::self_unavailable, of.subject));
            break;
        case reference_kind::caller: check_caller(of, context); break;
        case reference_kind::path: {
            static constexpr std::array<std::string_view, 3> known{"cwd", "module", "root"};
            if (std::ranges::find(known, of.name) == known.end())
                found_.add(error(messages::unknown_path_attribute, {name, did_you_mean(name, known)}, of.subject));
            break;
        }
        case reference_kind::terraform:
            if (of.type == "tofu")
                check_word(of_.dialect, origin_program::opentofu, "tofu." + name, "1.12", of.subject, found_);
            if (name == "env") found_.add(error(messages::terraform_env_removed, of.subject));
            else if (name != "workspace" && name != "applying")
                found_.add(error(messages::unknown_terraform_attribute, {name}, of.subject));
            break;
        case reference_kind::resource:
        case reference_kind::data:
        case reference_kind::ephemeral:
        case reference_kind::list: check_resource_reference(of, context); break;
        case reference_kind::action:
            found_.add(error(messages::action_has_no_value, {of.address()}, of.subject));
            break;
        }
    }

    void check_caller(reference const& of, reference_context const& context)
    {
        if (!context.caller) return found_.add(error(messages::caller_unavailable, of.subject));
        auto const check_in = [&](resource const& calling) {
            if (auto const* const desired = schema_of(calling)) check_steps(of.steps, *desired, of.range.file, found_);
        };
        if (context.owner->mode != resource_mode::action) return check_in(*context.owner);
        auto const names = [&](action_trigger_block const& trigger) {
            return std::ranges::any_of(
                trigger.actions, [&](auto const& one) { return is_owner(one.of, *context.owner); });
        };
        bool is_called = false;
        for (auto const& [address, one] : of_.resources) {
            if (std::ranges::none_of(one.lifecycle.action_triggers, names)) continue;
            is_called = true;
            check_in(one);
        }
        if (!is_called) found_.add(error(messages::caller_unavailable, of.subject));
    }

    void check_condition(action_trigger_block const& trigger, resource const& of)
    {
        if (!trigger.condition) return;
        auto const has = [&](action_event one) {
            return std::ranges::find(trigger.events, one) != trigger.events.end();
        };
        if (has(action_event::before_destroy) || has(action_event::after_destroy))
            found_.add(error(messages::destroy_trigger_condition, trigger.condition.range()));
        diagnostics ignored;
        for (auto const& refers : references_of(trigger.condition, ignored))
            if (has(action_event::before_create)
                && (refers.kind == reference_kind::self || refers.kind == reference_kind::caller))
                found_.add(error(messages::self_before_creation, {refers.address()}, refers.subject));
        check_expression(trigger.condition, {&of, nullptr, true, false, false, nullptr, true});
    }

    /// A reference to the object that triggers the action may close a cycle; a reference to its caller does not.
    void warn_of_references_to(resource const& caller, resource const& action)
    {
        diagnostics ignored;
        for (auto const& refers : references_of(action.content, ignored)) {
            bool const repeated = caller.count || caller.for_each;
            bool const is_instance = refers.key || (!repeated && !refers.remaining().empty());
            if (is_instance && is_owner(refers, caller))
                found_.add(warning(
                    messages::action_refers_to_trigger, {action.address(), refers.address_with_key()}, refers.subject));
        }
    }

    void check_action_trigger(action_trigger_block const& trigger, resource const& of)
    {
        check_condition(trigger, of);
        for (auto const& one : trigger.actions) {
            if (report_undeclared(of_, one.of, found_)) continue;
            warn_of_references_to(of, *of_.find_resource(one.of));
            if (one.key) check_expression(one.key, {&of, nullptr, false, false});
            auto const* const action = of_.find_resource(one.of);
            bool const repeated = action->count || action->for_each;
            bool const keyed = one.of.key || one.key;
            if (keyed && !repeated) found_.add(error(messages::unexpected_instance_key, {one.of.address()}, one.range));
            else if (!keyed && repeated)
                found_.add(error(messages::missing_instance_key,
                    {one.of.address(), action->count ? "count" : "for_each", action->count ? "0" : "\"key\""},
                    one.range));
        }
    }

    // The first reference of an expression whose value is known only during a plan, also of the local values to which
    // it refers.
    [[nodiscard]] auto late_reference(expression const& of, std::set<std::string, std::less<>>& seen) const
        -> std::optional<reference>
    {
        diagnostics ignored;
        for (reference const& one : references_of(of, ignored)) {
            switch (one.kind) {
            case reference_kind::resource:
            case reference_kind::data:
            case reference_kind::ephemeral:
            case reference_kind::module: return one;
            case reference_kind::local: {
                auto const local = of_.locals.find(one.name);
                if (local == of_.locals.end() || !seen.emplace(one.name).second) break;
                if (auto found = late_reference(local->second.of, seen)) return found;
                break;
            }
            default: break;
            }
        }
        return std::nullopt;
    }

    // Modules are installed before a plan, and a const variable may determine their sources.
    void check_const_argument(module_call const& call, std::string const& name, attribute const& given)
    {
        std::set<std::string, std::less<>> seen;
        if (auto const late = late_reference(given.of, seen))
            found_.add(error(messages::const_variable_computed, {name, call.name, late->address()}, given.of.range()));
    }

    [[nodiscard]] auto reports_deprecations_of(module_call const& of) const -> bool
    {
        std::string ignored;
        auto const source = module_source::parse(of.source, ignored);
        bool const local = source && source->kind == module_source::kind_type::local;
        return how_.reported == deprecations::all || (how_.reported == deprecations::local && local);
    }

    void check_output_reference(reference const& of)
    {
        auto const call = of_.modules.find(of.name);
        if (call == of_.modules.end() || !call->second.child) return;
        auto const output = call->second.child->outputs.find(of.output());
        if (output != call->second.child->outputs.end() && output->second.deprecated
            && reports_deprecations_of(call->second))
            found_.add(warning(messages::deprecated_output_used,
                {of.address() + "." + output->first, *output->second.deprecated}, of.range));
    }

    void check_count(reference const& of, reference_context const& context)
    {
        if (of.name != "index") found_.add(error(messages::unknown_count_attribute, {of.name}, of.subject));
        else if (!context.counted()) found_.add(error(messages::count_unavailable, of.subject));
    }

    void check_each(reference const& of, reference_context const& context)
    {
        if (of.name != "key" && of.name != "value")
            found_.add(error(messages::unknown_each_attribute, {of.name}, of.subject));
        else if (!context.repeated()) found_.add(error(messages::each_unavailable, of.subject));
    }

    void check_resource_reference(reference const& of, reference_context const& context)
    {
        auto const* const target = of_.find_resource(of);
        if (auto const* const check = of_.check_of(*target);
            check && check != context.check && !(context.owner && check == of_.check_of(*context.owner))) {
            found_.add(error(messages::check_data_out_of_scope, {of.address()}, of.subject));
            return;
        }
        if (context.owner && !context.may_refer_to_owner && is_owner(of, *context.owner)) {
            bool const repeated = context.owner->count || context.owner->for_each;
            if (repeated && !of.key) report_circle(of);
            else report_self(of, *context.owner);
            return;
        }
        auto const address = of.address();
        bool const repeated = target->count || target->for_each;
        if (of.key && !repeated) {
            found_.add(error(messages::unexpected_instance_key, {address}, of.subject));
            return;
        }
        auto const rest = of.remaining();
        if (rest.empty() || (rest.front().key && !of.key)) return;
        if (!of.key && repeated) {
            bool const counted = static_cast<bool>(target->count);
            found_.add(error(messages::missing_instance_key,
                {address, counted ? "count" : "for_each", counted ? "0" : "\"key\""}, of.subject));
            return;
        }
        // The schema of a list is that of its arguments, not of the objects in its result.
        auto const* const desired = target->mode == resource_mode::list ? nullptr : schema_of(*target);
        if (desired) check_steps(rest, *desired, of.range.file, found_);
    }

    configuration const& of_;
    schema_source const& schemas_;
    diagnostics& found_;
    validation_options how_;
    module_scope unknown_;
    resource const* last_ = nullptr;  // whose schema was asked for
    schema const* of_last_ = nullptr;
};

}  // namespace

auto report_undeclared(configuration const& in, reference const& of, diagnostics& found) -> bool
{
    auto const name = std::string(of.name);
    auto const report = [&](diagnostic what) {
        found.add(std::move(what));
        return true;
    };
    switch (of.kind) {
    case reference_kind::variable: {
        if (in.variables.contains(name)) return false;
        return report(
            error(messages::undeclared_input_variable, {name, did_you_mean(name, names_of(in.variables))}, of.subject));
    }
    case reference_kind::local:
        if (in.locals.contains(name)) return false;
        return report(
            error(messages::undeclared_local_value, {name, did_you_mean(name, names_of(in.locals))}, of.subject));
    case reference_kind::module:
        if (in.modules.contains(name)) return false;
        return report(error(messages::undeclared_module_call,
            {name, in.display_name(), did_you_mean(name, names_of(in.modules))}, of.range));
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::ephemeral:
    case reference_kind::action:
    case reference_kind::list: {
        if (in.find_resource(of)) return false;
        auto data = of;
        data.kind = reference_kind::data;
        if (of.kind == reference_kind::resource && in.find_resource(data))
            return report(error(
                messages::undeclared_resource_but_data, {of.address(), in.display_name(), data.address()}, of.subject));
        auto const& reported = of.kind == reference_kind::data ? messages::undeclared_data_source
            : of.kind == reference_kind::ephemeral             ? messages::undeclared_ephemeral_resource
            : of.kind == reference_kind::action                ? messages::undeclared_action
            : of.kind == reference_kind::list                  ? messages::undeclared_list
                                                               : messages::undeclared_resource;
        std::vector<std::string_view> declared;
        for (auto const& [address, one] : in.resources)
            if (static_cast<std::uint8_t>(one.mode) == static_cast<std::uint8_t>(of.kind)) declared.push_back(address);
        return report(
            error(reported, {of.address(), in.display_name(), did_you_mean(of.address(), declared)}, of.subject));
    }
    default: return false;
    }
}

void report_ephemeral_output(output_value const& of, diagnostics& found)
{
    found.add(error(messages::ephemeral_output_value, of.of.range()));
}

void report_sensitive_output(output_value const& of, diagnostics& found)
{
    found.add(error(messages::sensitive_root_output, of.range));
}

namespace {

/// The part of a version constraint that names a prerelease, or nothing.
[[nodiscard]] auto prerelease_in(std::string_view constraint) -> std::string_view
{
    while (!constraint.empty()) {
        auto const comma = std::min(constraint.find(','), constraint.size());
        auto const part = constraint.substr(0, comma);
        constraint.remove_prefix(std::min(comma + 1, constraint.size()));
        if (part.find('-') != std::string_view::npos) return part;
    }
    return {};
}

void check_version(configuration const& in, required_version const& desired, diagnostics& found)
{
    if (auto const part = prerelease_in(desired.constraint); !part.empty())
        return found.add(error(messages::prerelease_version_constraint, {part}, desired.range));
    bool const opentofu = desired.of == origin_program::opentofu;
    if (opentofu ? fits_opentofu(desired.constraint) : fits_terraform(desired.constraint)) return;
    // A constraint on one program does not apply to a module that follows the other.
    if (desired.of != in.dialect.follows) return;
    if (opentofu)
        return found.add(error(messages::incompatible_module,
            {in.display_name(), desired.constraint, newest_opentofu_version}, desired.range));
    auto const versions = std::string(language_version) + " to " + std::string(newest_terraform_version);
    if (in.is_root())
        return found.add(error(messages::unsupported_language_version, {desired.constraint, versions}, desired.range));
    found.add(error(messages::unsupported_language_version_of_module,
        {desired.constraint, versions, in.display_name(), in.source}, desired.range));
}

}  // namespace

void check_settings(configuration const& root, diagnostics& found)
{
    for_each_module(root, [&](configuration const& one) {
        for (auto const& desired : one.required_versions) check_version(one, desired, found);
    });
    check_providers(root, found);
}

void report_missing_providers(configuration const& root, schema_source const& schemas, diagnostics& found)
{
    for (auto const& [address, place] : providers_asked_for(root))
        if (!schemas.has_provider(address))
            found.add(
                error(messages::unavailable_provider, {shown_provider(address), schemas.built_in_providers()}, place));
}

void validate(configuration const& of, schema_source const& schemas, diagnostics& found, validation_options const& how)
{
    if (of.is_root()) {
        check_settings(of, found);
        report_missing_providers(of, schemas, found);
    }
    auto const used = used_providers(of);
    for_each_module(of, [&](configuration const& one) { validator(one, schemas, found, how).run(used); });
}

void validate_references(configuration const& of, expression const& in, reference_context const& context,
    schema_source const& schemas, diagnostics& found)
{
    validator(of, schemas, found).expression_references(in, context);
}

}  // namespace iacctl::language
