// SPDX-License-Identifier: BSL-1.0
#include "validate.hpp"

#include "base/parallel_chunks.hpp"
#include "base/provider_address.hpp"
#include "base/suggestion.hpp"
#include "base/version.hpp"
#include "language/configuration/module_scope.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/variables.hpp"
#include "language/configuration/version_constraint.hpp"
#include "language/evaluation/body_reader.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/functions.hpp"
#include "language/evaluation/repetition.hpp"
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
#include <utility>

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
    wrong_range(source_range const& range) : file(range.file->name()), bytes(range.bytes) {}
    wrong_range(source_excerpt const& excerpt) : file(excerpt.file), bytes{excerpt.byte, excerpt.end.byte} {}

    std::string file;
    byte_range bytes;
};
/// References with errors.
using wrong_ranges = std::vector<wrong_range>;

/// Returns whether a problem is at a reference that has been reported: its evaluation fails in consequence.
[[nodiscard]] auto is_consequence(diagnostic const& problem, wrong_ranges const& reported) -> bool
{
    return std::ranges::any_of(reported, [&](wrong_range const& range) {
        return range.file == problem.source.file && range.bytes.begin <= problem.source.byte
            && problem.source.byte < range.bytes.end;
    });
}

class validator {
public:
    validator(configuration const& c, schema_source const& schemas, diagnostics& found,
        validation_options const& options = {})
        : of_(c),
          schemas_(schemas),
          found_(found),
          how_(options),
          unknown_(c, nullptr, {}, {.provided = schemas.functions()})
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
    auto check_expression(expression const& e, reference_context const& context) -> value
    {
        if (!e) return {};
        auto const wrong = wrong_references(e, context);
        auto made = evaluated(wrong, [&](diagnostics& found) { return evaluate(e, unknown_, found); });
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
            for_each_call(in, [&](syntax::call const& c) {
                if (unknown_.find_function(c.name)) return;
                auto reported = unknown_function(in, c, unknown_);
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
    void check_repetition(Repeated const& repeated)
    {
        auto const& [count, for_each, enabled] = std::tie(repeated.count, repeated.for_each, repeated.enabled);
        // Values that are unknown before a plan are checked by the plan.
        static constexpr auto later = unknown_values::allowed;
        auto const check_one = [&](expression const& e, auto evaluate) {
            if (!e) return;
            auto const wrong = wrong_references(e, {});
            static_cast<void>(
                evaluated(wrong, [&](diagnostics& found) { return evaluate(e, unknown_, found, later); }));
        };
        check_one(count, [](auto&&... all) { return evaluate_count(all...); });
        check_one(for_each, [](auto&&... all) { return evaluate_for_each(all...); });
        check_one(enabled, [](auto&&... all) { return evaluate_enabled(all...); });
    }

    auto check_output(output_value const& ov) -> value
    {
        if (!ov.of) return value::unknown();
        auto const wrong = wrong_references(ov.of, {});
        auto made = evaluated(wrong, [&](diagnostics& found) { return evaluate_output(ov, unknown_, found); });
        return wrong.empty() ? made : value::unknown();
    }

    void check_local(local_value const& value)
    {
        check_expression(value.of, {});
        diagnostics ignored;
        for (auto const& refers : references_of(value.of, ignored))
            if (refers.kind == reference_kind::local && refers.name == value.name)
                found_.add(error(messages::self_referring_local, {value.name}, refers.range, value.of.range()));
    }

    /// Checks the rules of a variable with its known value; in the root module there is none.
    void check_variable(variable const& v)
    {
        auto const before = found_.error_count();
        for (auto const& rule : v.validations) check_rule(rule, {});
        if (found_.error_count() == before && of_.is_root()) check_validations(v, unknown_, found_);
    }

    void check_id(expression const& e, value const& given)
    {
        if (!e || given.is_unknown()) return;
        auto const text = convert(given, type::string());
        if (!text) return found_.add(error(messages::import_id_not_text, {text.error().text()}, e.range()));
        if (!text->is_null() && !text->as_string().empty()) return;
        found_.add(error(text->is_null() ? messages::import_id_null : messages::import_id_empty, e.range()));
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
    void ask_provider(configured_block block, std::string_view provider, std::string_view type, body const& content,
        schema const& desired, value const& made, std::string const& address)
    {
        for (auto& wrong : schemas_.attribute_problems(block, provider, type, made)) {
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
    void check_stored(resource const& r, schema const* desired, reference_context const& context)
    {
        auto const wrong = body_references(r.content, context);
        if (!desired) return;
        // An argument with a wrong reference is unknown, which hides no error of another one.
        auto const before = found_.error_count();
        static constexpr std::array<std::string_view, 8> reserved{
            "count", "for_each", "provider", "dynamic", "depends_on", "lifecycle", "provisioner", "connection"};
        std::span<std::string_view const> const all(reserved);
        check_body(r.content, *desired, found_, r.mode == resource_mode::list ? all.first(4) : all);
        auto const made =
            evaluated(wrong, [&](diagnostics& found) { return evaluate_body(r.content, *desired, unknown_, found); });
        auto const address = (of_.is_root() ? "" : of_.display_name() + ".") + r.address();
        if (found_.error_count() == before)
            ask_provider(block_of(r.mode), provider_of(of_, r), r.type, r.content, *desired, made, address);
        if (r.mode == resource_mode::ephemeral || r.mode == resource_mode::list) return;
        diagnostics refused;
        refuse_ephemeral(r.content, *desired, made, refused);
        if (found_.error_count() == before) refused.add(judged(r.content, *desired, made));
        refused.update([&](diagnostic& problem) { problem.address = address; });
        found_.add(std::move(refused));
    }

    void check_call(module_call const& call)
    {
        reference_context const making{nullptr, &call, false, true};
        check_repetition(call);
        for (auto const& refers : call.depends_on) check(refers, {});
        for (auto const& passed : call.providers)
            if (passed.parent_key.computed) check_expression(passed.parent_key.computed, making);
        if (!call.child) {
            static_cast<void>(body_references(call.content, making));
            return;
        }
        body_shape inputs;
        for (auto const& [name, one] : call.child->variables)
            inputs.arguments.push_back({name, !one.default_value.has_value()});
        check_body(call.content, inputs, found_);
        std::map<std::string, value, std::less<>> given;
        std::set<std::string, std::less<>> failed;
        for (auto const& one : call.content.attributes) {
            auto const before = found_.error_count();
            if (auto const wrong = wrong_references(one.of, making); !wrong.empty())
                static_cast<void>(
                    evaluated(wrong, [&](diagnostics& found) { return evaluate(one.of, unknown_, found); }));
            auto const desired = call.child->variables.find(one.name);
            if (desired != call.child->variables.end() && desired->second.deprecated && reports_deprecations_of(call))
                found_.add(warning(messages::deprecated_variable_used,
                    {desired->first, call.name, *desired->second.deprecated}, one.of.range()));
            if (desired != call.child->variables.end() && desired->second.constant == true)
                check_const_argument(call, desired->first, one);
            if (found_.error_count() == before && desired != call.child->variables.end())
                given.emplace(one.name, argument_value(call, desired->second, unknown_, found_));
            if (found_.error_count() > before) failed.emplace(one.name);
        }
        // Rules that refer to other variables are checked by the plan, as the module may have no instances.
        for (auto const& [name, one] : call.child->variables) {
            if (failed.contains(name)) continue;
            auto const own = given.find(name);
            std::map<std::string, value, std::less<>> const known{
                {name, own != given.end() ? own->second : argument_value(call, one, unknown_, found_)}};
            check_validations(
                one, module_scope(*call.child, &known, {}, unknown_.context()), found_, call.argument(name).range());
        }
    }

    void check_import(import_block const& block)
    {
        auto const* const to = as_traversal(block.to);
        diagnostics ignored;
        auto const target = to ? parse_reference(*to, block.to.file(), ignored) : std::nullopt;
        auto const* const declared = target ? of_.find_resource(*target) : nullptr;
        // Generated configuration contains both.
        bool const same = declared && !block.provider.empty() && declared->provider == block.provider;
        if (block.provider_range && declared && !same)
            found_.add(error(messages::import_provider_of_declared_resource, block.provider_range));
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
            [&](expression const& e, bound_names const& bound) {
                for (wrong_range const& reported : wrong_references(e, context, bound)) wrong.push_back(reported);
            },
            has_blocks);
        return wrong;
    }

    /// Many resources, one after the other, have the same type.
    [[nodiscard]] auto schema_of(resource const& r) -> schema const*
    {
        bool const is_same = last_ && last_->mode == r.mode && last_->type == r.type && last_->provider == r.provider;
        if (!is_same) of_last_ = find_schema(r);
        last_ = &r;
        return of_last_;
    }
    [[nodiscard]] auto find_schema(resource const& r) const -> schema const*
    {
        auto const provider = provider_of(of_, r);
        switch (r.mode) {
        case resource_mode::managed: return schemas_.resource(provider, r.type);
        case resource_mode::data: return schemas_.data_source(provider, r.type);
        case resource_mode::ephemeral: return schemas_.ephemeral(provider, r.type);
        case resource_mode::action: return schemas_.action(provider, r.type);
        case resource_mode::list: return schemas_.list(provider, r.type);
        }
        return nullptr;
    }

    void check_replace_trigger(expression const& trigger, resource const& r)
    {
        diagnostics reported_below;
        for (auto const& refers : references_of(trigger, reported_below))
            if (refers.kind == reference_kind::data && of_.find_resource(refers))
                return found_.add(error(messages::trigger_of_data_source, {refers.address()}, refers.subject));
        expression_references(trigger, {&r, nullptr, false, true});
    }

    void check_resource(resource const& r)
    {
        auto const* const desired = schema_of(r);
        if (!desired) { report_unknown_type(r); }
        bool const is_action = r.mode == resource_mode::action;
        reference_context const making{&r, nullptr, false, false, false, nullptr, is_action};
        reference_context const inside{&r, nullptr, true, true};
        check_repetition(r);
        for (auto const& expression : {r.count, r.for_each, r.enabled}) owner_references(expression, r);
        check_stored(r, desired, making);
        for (auto const& refers : r.depends_on) check(refers, {&r, nullptr, false, true});
        if (r.provider_key.computed) check_expression(r.provider_key.computed, making);
        check_expression(r.lifecycle.prevent_destroy, {&r, nullptr, false, false});
        for (auto const& trigger : r.lifecycle.replace_triggered_by) check_replace_trigger(trigger, r);
        for (auto const& trigger : r.lifecycle.action_triggers) check_action_trigger(trigger, r);
        for (auto const& rule : r.lifecycle.preconditions) check_rule(rule, {&r, nullptr, false, true});
        for (auto const& rule : r.lifecycle.postconditions) check_rule(rule, inside);
        if (r.connection && r.provisioners.empty())
            static_cast<void>(body_references(*r.connection, inside));  // the connection is not used
        for (auto const& one : r.provisioners) {
            auto const* const shape = schemas_.provisioner(one.type);
            if (!shape) found_.add(error(messages::unknown_provisioner, {one.type}, one.range));
            auto const before = found_.error_count();
            if (shape) check_body(one.content, *shape, found_);
            auto const made = check_content(one.content, shape, inside);
            if (shape && found_.error_count() == before) found_.add(judged(one.content, *shape, made));
            check_connection(r, one, inside);
        }
        for (auto const& ignored : r.lifecycle.ignore_changes) check_ignored(ignored, desired, r);
    }

    void report_unknown_type(resource const& r)
    {
        auto const provider = provider_of(of_, r);
        if (!schemas_.has_provider(provider)) return;
        auto const shown = shown_provider(provider);
        bool const managed = r.mode == resource_mode::managed;
        if (auto const way = schemas_.way_to_type(provider, r.mode, r.type); !way.empty()) {
            std::string_view const kind = r.mode == resource_mode::data ? "data source" : "ephemeral resource";
            found_.add(error(messages::type_not_built_in, {shown, kind, r.type, way}, r.type_range));
        } else if (managed && schemas_.data_source(provider, r.type))
            found_.add(error(messages::data_source_as_resource, {shown, r.type}, r.type_range));
        else if (r.mode == resource_mode::data && schemas_.resource(provider, r.type))
            found_.add(error(messages::resource_as_data_source, {shown, r.type}, r.type_range));
        else {
            auto const& reported = managed        ? messages::unknown_resource_type
                : r.mode == resource_mode::data   ? messages::unknown_data_source
                : r.mode == resource_mode::action ? messages::unknown_action_type
                : r.mode == resource_mode::list   ? messages::unknown_list_type
                                                  : messages::unknown_ephemeral_type;
            found_.add(
                error(reported, {shown, r.type, did_you_mean(r.type, schemas_.types(provider, r.mode))}, r.type_range));
        }
    }

    /// Reports what the schema finds in an object.
    [[nodiscard]] static auto judged(body const& content, schema const& desired, value const& made) -> diagnostics
    {
        auto found = desired.judge != nullptr ? desired.judge(made.unmarked_deep()) : std::nullopt;
        if (!found) return {};
        found->problem.source = excerpt_of(place_of(found->path, content, desired));
        return std::move(found->problem);
    }

    /// The block of the resource must be complete, as in Terraform; that of the provisioner may have some arguments only.
    /// Several provisioners may have the same connection, whose errors are reported once.
    void check_connection(resource const& owner, provisioner const& p, reference_context const& context)
    {
        bool const is_used = schemas_.uses_connection(p.type);
        auto const content = connection_of(p, owner.connection);
        auto const* const shape = schemas_.connection();
        if (!content && is_used) found_.add(warning(messages::provisioner_without_connection, {p.type}, p.range));
        if (!content || !shape) return;
        auto earlier = std::exchange(found_, {});
        if (owner.connection) check_body(*owner.connection, *shape, found_);
        if (found_.error_count() == 0) check_body(*content, *shape, found_);
        auto const made = check_content(*content, shape, context);
        if (is_used && found_.error_count() == 0) found_.add(judged(*content, *shape, made));
        std::swap(found_, earlier);
        found_.add_new(std::move(earlier));
    }

    void check_ignored(expression const& e, schema const* desired, resource const& owner)
    {
        auto const* const path = as_traversal(e);
        if (!path || !desired) return;
        std::vector<syntax::step> steps{{path->root, nullptr, path->root_range()}};
        steps.insert(steps.end(), path->steps.begin(), path->steps.end());
        check_steps(steps, *desired, e.file(), found_);
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

    [[nodiscard]] static auto is_owner(reference const& r, resource const& owner) -> bool
    {
        // The kinds of objects are the first enumerators, in the order of the modes.
        bool const kind = static_cast<std::uint8_t>(r.kind) == static_cast<std::uint8_t>(owner.mode);
        return kind && r.type == owner.type && r.name == owner.name;
    }

    void report_self(reference const& r, resource const& owner)
    {
        bool const repeated = owner.count || owner.for_each;
        auto const reported =
            error(messages::self_reference, {repeated ? r.address_with_key() : r.address()}, r.subject);
        found_.add(reported);
        // Terraform reports it for the resource and for its instance, which have the same address here.
        if (!repeated) found_.add(reported);
    }

    /// Instances that refer to all instances depend on each other; a single one is not a self reference.
    void report_circle(reference const& r)
    {
        auto const address = r.address();
        found_.add(error(messages::cycle_within_resource,
            {address, r.range.file->name() + ":" + std::to_string(r.range.file->line_of(r.range.bytes.begin))}));
    }

    void check(reference const& r, reference_context const& context)
    {
        if (report_undeclared(of_, r, found_)) return;
        auto const name = std::string(r.name);
        switch (r.kind) {
        case reference_kind::variable:
        case reference_kind::local:
        case reference_kind::module: check_output_reference(r); break;
        case reference_kind::count: check_count(r, context); break;
        case reference_kind::each: check_each(r, context); break;
        case reference_kind::self:
            if (context.self && context.owner) {
                if (auto const* const desired = schema_of(*context.owner))
                    check_steps(r.steps, *desired, r.range.file, found_);
            } else if (!context.self) found_.add(error(messages::self_unavailable, r.subject));
            break;
        case reference_kind::caller: check_caller(r, context); break;
        case reference_kind::path: {
            static constexpr std::array<std::string_view, 3> known{"cwd", "module", "root"};
            if (std::ranges::find(known, r.name) == known.end())
                found_.add(error(messages::unknown_path_attribute, {name, did_you_mean(name, known)}, r.subject));
            break;
        }
        case reference_kind::terraform:
            if (r.type == "tofu")
                check_word(of_.dialect, origin_program::opentofu, "tofu." + name, "1.12", r.subject, found_);
            if (name == "env") found_.add(error(messages::terraform_env_removed, r.subject));
            else if (name != "workspace" && name != "applying")
                found_.add(error(messages::unknown_terraform_attribute, {name}, r.subject));
            break;
        case reference_kind::resource:
        case reference_kind::data:
        case reference_kind::ephemeral:
        case reference_kind::list: check_resource_reference(r, context); break;
        case reference_kind::action: found_.add(error(messages::action_has_no_value, {r.address()}, r.subject)); break;
        }
    }

    void check_caller(reference const& r, reference_context const& context)
    {
        if (!context.caller) return found_.add(error(messages::caller_unavailable, r.subject));
        auto const check_in = [&](resource const& calling) {
            if (auto const* const desired = schema_of(calling)) check_steps(r.steps, *desired, r.range.file, found_);
        };
        if (context.owner->mode != resource_mode::action) return check_in(*context.owner);
        auto const names = [&](action_trigger_block const& trigger) {
            return std::ranges::any_of(
                trigger.actions, [&](auto const& item) { return is_owner(item.of, *context.owner); });
        };
        bool is_called = false;
        for (auto const& [address, one] : of_.resources) {
            if (std::ranges::none_of(one.lifecycle.action_triggers, names)) continue;
            is_called = true;
            check_in(one);
        }
        if (!is_called) found_.add(error(messages::caller_unavailable, r.subject));
    }

    void check_condition(action_trigger_block const& trigger, resource const& r)
    {
        if (!trigger.condition) return;
        auto const has = [&](action_event event) {
            return std::ranges::find(trigger.events, event) != trigger.events.end();
        };
        if (has(action_event::before_destroy) || has(action_event::after_destroy))
            found_.add(error(messages::destroy_trigger_condition, trigger.condition.range()));
        diagnostics ignored;
        for (auto const& refers : references_of(trigger.condition, ignored))
            if (has(action_event::before_create)
                && (refers.kind == reference_kind::self || refers.kind == reference_kind::caller))
                found_.add(error(messages::self_before_creation, {refers.address()}, refers.subject));
        check_expression(trigger.condition, {&r, nullptr, true, false, false, nullptr, true});
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

    void check_action_trigger(action_trigger_block const& trigger, resource const& r)
    {
        check_condition(trigger, r);
        for (auto const& one : trigger.actions) {
            if (report_undeclared(of_, one.of, found_)) continue;
            warn_of_references_to(r, *of_.find_resource(one.of));
            if (one.key) check_expression(one.key, {&r, nullptr, false, false});
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
    [[nodiscard]] auto late_reference(expression const& e, std::set<std::string, std::less<>>& seen) const
        -> std::optional<reference>
    {
        diagnostics ignored;
        for (reference const& one : references_of(e, ignored)) {
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

    [[nodiscard]] auto reports_deprecations_of(module_call const& call) const -> bool
    {
        std::string ignored;
        auto const source = module_source::parse(call.source, ignored);
        bool const local = source && source->kind == module_source::kind_type::local;
        return how_.reported == deprecations::all || (how_.reported == deprecations::local && local);
    }

    void check_output_reference(reference const& r)
    {
        auto const call = of_.modules.find(r.name);
        if (call == of_.modules.end() || !call->second.child) return;
        auto const output = call->second.child->outputs.find(r.output());
        if (output != call->second.child->outputs.end() && output->second.deprecated
            && reports_deprecations_of(call->second))
            found_.add(warning(messages::deprecated_output_used,
                {r.address() + "." + output->first, *output->second.deprecated}, r.range));
    }

    void check_count(reference const& r, reference_context const& context)
    {
        if (r.name != "index") found_.add(error(messages::unknown_count_attribute, {r.name}, r.subject));
        else if (!context.counted()) found_.add(error(messages::count_unavailable, r.subject));
    }

    void check_each(reference const& r, reference_context const& context)
    {
        if (r.name != "key" && r.name != "value")
            found_.add(error(messages::unknown_each_attribute, {r.name}, r.subject));
        else if (!context.repeated()) found_.add(error(messages::each_unavailable, r.subject));
    }

    void check_resource_reference(reference const& r, reference_context const& context)
    {
        auto const* const target = of_.find_resource(r);
        if (auto const* const check = of_.check_of(*target);
            check && check != context.check && !(context.owner && check == of_.check_of(*context.owner))) {
            found_.add(error(messages::check_data_out_of_scope, {r.address()}, r.subject));
            return;
        }
        if (context.owner && !context.may_refer_to_owner && is_owner(r, *context.owner)) {
            bool const repeated = context.owner->count || context.owner->for_each;
            if (repeated && !r.key) report_circle(r);
            else report_self(r, *context.owner);
            return;
        }
        auto const address = r.address();
        bool const repeated = target->count || target->for_each;
        if (r.key && !repeated) {
            found_.add(error(messages::unexpected_instance_key, {address}, r.subject));
            return;
        }
        auto const rest = r.remaining();
        if (rest.empty() || (rest.front().key && !r.key)) return;
        if (!r.key && repeated) {
            bool const counted = static_cast<bool>(target->count);
            found_.add(error(messages::missing_instance_key,
                {address, counted ? "count" : "for_each", counted ? "0" : "\"key\""}, r.subject));
            return;
        }
        // The schema of a list is that of its arguments, not of the objects in its result.
        auto const* const desired = target->mode == resource_mode::list ? nullptr : schema_of(*target);
        if (desired) check_steps(rest, *desired, r.range.file, found_);
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

auto report_undeclared(configuration const& in, reference const& r, diagnostics& found) -> bool
{
    auto const name = std::string(r.name);
    auto const report = [&](diagnostic problem) {
        found.add(std::move(problem));
        return true;
    };
    switch (r.kind) {
    case reference_kind::variable: {
        if (in.variables.contains(name)) return false;
        return report(
            error(messages::undeclared_input_variable, {name, did_you_mean(name, names_of(in.variables))}, r.subject));
    }
    case reference_kind::local:
        if (in.locals.contains(name)) return false;
        return report(
            error(messages::undeclared_local_value, {name, did_you_mean(name, names_of(in.locals))}, r.subject));
    case reference_kind::module:
        if (in.modules.contains(name)) return false;
        return report(error(messages::undeclared_module_call,
            {name, in.display_name(), did_you_mean(name, names_of(in.modules))}, r.range));
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::ephemeral:
    case reference_kind::action:
    case reference_kind::list: {
        if (in.find_resource(r)) return false;
        auto data = r;
        data.kind = reference_kind::data;
        if (r.kind == reference_kind::resource && in.find_resource(data))
            return report(error(
                messages::undeclared_resource_but_data, {r.address(), in.display_name(), data.address()}, r.subject));
        auto const& reported = r.kind == reference_kind::data ? messages::undeclared_data_source
            : r.kind == reference_kind::ephemeral             ? messages::undeclared_ephemeral_resource
            : r.kind == reference_kind::action                ? messages::undeclared_action
            : r.kind == reference_kind::list                  ? messages::undeclared_list
                                                              : messages::undeclared_resource;
        std::vector<std::string_view> declared;
        for (auto const& [address, one] : in.resources)
            if (static_cast<std::uint8_t>(one.mode) == static_cast<std::uint8_t>(r.kind)) declared.push_back(address);
        return report(
            error(reported, {r.address(), in.display_name(), did_you_mean(r.address(), declared)}, r.subject));
    }
    default: return false;
    }
}

void report_ephemeral_output(output_value const& value, diagnostics& found)
{
    found.add(error(messages::ephemeral_output_value, value.of.range()));
}

void report_sensitive_output(output_value const& value, diagnostics& found)
{
    found.add(error(messages::sensitive_root_output, value.range));
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
    auto const& range = opentofu ? opentofu_versions : terraform_versions;
    if (fits(range, desired.constraint)) return;
    // A constraint on one program does not apply to a module that follows the other.
    if (desired.of != in.dialect.follows) return;
    if (opentofu)
        return found.add(error(
            messages::incompatible_module, {in.display_name(), desired.constraint, text_of(range)}, desired.range));
    auto const versions = text_of(range);
    if (in.is_root())
        return found.add(error(messages::unsupported_language_version, {desired.constraint, versions}, desired.range));
    found.add(error(messages::unsupported_language_version_of_module,
        {desired.constraint, versions, in.display_name(), in.source}, desired.range));
}

}  // namespace

void check_settings(configuration const& root, diagnostics& found)
{
    for_each_module(root, [&](configuration const& c) {
        for (auto const& desired : c.required_versions) check_version(c, desired, found);
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

void report_rejected_releases(configuration const& root, schema_source const& schemas, diagnostics& found)
{
    for_each_module(root, [&](configuration const& in) {
        for (auto const& [name, required] : in.required_providers) {
            auto const address = provider_named(in, name);
            auto const accepted = version_constraints::parse(required.version);
            auto const release = accepted ? version::parse(schemas.built_in_release(address)) : std::nullopt;
            if (release && !accepted->allow(*release))
                found.add(error(messages::built_in_release_rejected,
                    {shown_provider(address), required.version, schemas.built_in_release(address)}, required.range));
        }
    });
}

void validate(
    configuration const& c, schema_source const& schemas, diagnostics& found, validation_options const& options)
{
    if (c.is_root()) {
        check_settings(c, found);
        report_missing_providers(c, schemas, found);
        report_rejected_releases(c, schemas, found);
    }
    auto const used = used_providers(c);
    for_each_module(c, [&](configuration const& given) { validator(given, schemas, found, options).run(used); });
}

void validate_references(configuration const& c, expression const& in, reference_context const& context,
    schema_source const& schemas, diagnostics& found)
{
    validator(c, schemas, found).expression_references(in, context);
}

}  // namespace iacctl::language
