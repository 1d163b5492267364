// SPDX-License-Identifier: BSL-1.0
#include "validate.hpp"

#include "language/configuration/module_scope.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/configuration/variables.hpp"
#include "language/configuration/version_constraint.hpp"
#include "language/evaluation/body_reader.hpp"
#include "language/evaluation/functions.hpp"
#include "language/evaluation/repetition.hpp"
#include "language/syntax/suggestion.hpp"
#include "language/values/convert.hpp"
#include "support/in_parts.hpp"

#include <algorithm>
#include <array>

namespace iacctl::language {

namespace {

template <class Map>
[[nodiscard]] std::vector<std::string_view> names_of(Map const& map)
{
    std::vector<std::string_view> names;
    for (auto const& [name, of] : map) names.push_back(name);
    return names;
}

/// A scope inside of `dynamic` blocks, of whose elements nothing is known.
class bound_scope final : public inner_scope {
public:
    bound_scope(scope const& outer, bound_names const& bound) : inner_scope(outer), bound_(bound) {}

    [[nodiscard]] value const* variable(std::string_view name) const override
    {
        static value const unknown = value::unknown();
        return std::ranges::find(bound_, name) == bound_.end() ? inner_scope::variable(name) : &unknown;
    }

private:
    bound_names const& bound_;
};

class validator {
public:
    validator(configuration const& of, schema_source const& schemas, diagnostics& found)
        : of_(of),
          schemas_(schemas),
          found_(found),
          unknown_(of, nullptr, {}, {})
    {}

    void run(std::set<provider_block const*> const& used)
    {
        for (auto const& [name, one] : of_.variables) check_variable(one);
        for (auto const& [name, one] : of_.locals) check_local(one);
        for (auto const& [name, one] : of_.outputs) {
            if (one.ephemeral && of_.is_root())
                found_.add(error("Ephemeral output not allowed",
                    "Ephemeral outputs are not allowed in context of a root module", one.range));
            auto const made = check_expression(one.of, {});
            if (!one.ephemeral && made.has_deep(mark::ephemeral)) tell_ephemeral_output(one, found_);
            if (of_.is_root() && one.marks() == mark::none && made.has_deep(mark::sensitive))
                tell_sensitive_output(one, found_);
            for (auto const& rule : one.preconditions) check_rule(rule, {});
            for (auto const& refers : one.depends_on) check(refers, {});
        }
        check_resources();
        for (auto const& [name, one] : of_.providers) {
            if (!used.contains(&one)) continue;
            auto const* const wanted = schemas_.provider(provider_named(of_, one.name));
            if (wanted) check_body(one.content, *wanted, found_);
            check_content(one.content, wanted, {});
        }
        if (!of_.is_root() && of_.backend)
            found_.add(warning("Backend configuration ignored",
                "Any selected backend applies to the entire configuration, so Terraform expects provider "
                "configurations "
                "only in the root module.\n\nThis is a warning rather than an error because it's sometimes convenient "
                "to "
                "temporarily call a root module as a child module for testing purposes, but this backend configuration "
                "block will have no effect.",
                of_.backend->range));
        for (auto const& [name, one] : of_.modules) check_call(one);
        for (auto const& [name, one] : of_.checks) {
            if (one.data) check_resource(*one.data);
            for (auto const& rule : one.assertions) check_rule(rule, {.check = &one});
        }
        for (auto const& one : of_.imports) {
            check_import(one);
            auto const all = check_expression(one.for_each, {});
            if (one.for_each && !all.is(type_kind::dynamic) && all.get_type().is_primitive())
                found_.add(error("Invalid for_each argument", "The \"for_each\" expression must be a collection.",
                    one.for_each.range()));
            check_id(
                one.id, check_expression(one.id, {nullptr, nullptr, false, true, static_cast<bool>(one.for_each)}));
        }
    }

    void expression_references(expression const& in, reference_context const& context, bound_names const& bound = {})
    {
        if (!in) return;
        for (auto const& refers : references_of(in, found_, bound)) check(refers, context);
    }

private:
    /// Each is checked by itself, so many of them are by several threads, each with a validator of its own.
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
        for (auto const& found : in_parts(all.size(), 4000, part)) found_.add(found);
    }

    /// Also evaluates it with all that is known before anything exists, which shows what can never succeed.
    value check_expression(expression const& of, reference_context const& context)
    {
        if (!of) return {};
        return refers_well(of, context) ? evaluate(of, unknown_, found_) : value::unknown();
    }
    [[nodiscard]] bool refers_well(expression const& of, reference_context const& context)
    {
        auto const before = found_.error_count();
        expression_references(of, context);
        return found_.error_count() == before;
    }

    void check_repetition(expression const& count, expression const& for_each)
    {
        // What is not known before anything exists is for the plan to judge.
        static constexpr auto later = unknown_values::allowed;
        if (count && refers_well(count, {})) static_cast<void>(evaluate_count(count, unknown_, found_, later));
        if (for_each && refers_well(for_each, {}))
            static_cast<void>(evaluate_for_each(for_each, unknown_, found_, later));
    }

    void check_local(local_value const& of)
    {
        check_expression(of.of, {});
        diagnostics ignored;
        for (auto const& refers : references_of(of.of, ignored))
            if (refers.kind == reference_kind::local && refers.name == of.name)
                found_.add(error("Self-referencing local value",
                    "Local value local." + of.name + " cannot use its own result as part of its expression.",
                    refers.range, of.of.range()));
    }

    /// What the rules of a variable say of the value that it is known to have: none in the root module.
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
        if (!text)
            return found_.add(
                error("Incorrect value type", "Invalid expression value: " + text.error().text() + ".", of.range()));
        if (!text->is_null() && !text->as_string().empty()) return;
        found_.add(error("Invalid import id argument",
            text->is_null() ? "The import ID cannot be null."
                            : "The import ID value evaluates to an empty string, please provide a non-empty value.",
            of.range()));
    }

    void check_rule(check_rule const& rule, reference_context const& context)
    {
        check_expression(rule.condition, context);
        check_expression(rule.error_message, context);
    }

    void check_content(body const& content, schema const* wanted, reference_context const& context)
    {
        auto const before = found_.error_count();
        body_references(content, context);
        if (wanted && found_.error_count() == before)
            static_cast<void>(evaluate_body(content, *wanted, unknown_, found_));
    }

    /// The same for what makes an object that is stored.
    void check_stored(resource const& of, schema const* wanted, reference_context const& context)
    {
        auto const before = found_.error_count();
        body_references(of.content, context);
        // A body that refers to what is not there is not judged further.
        if (!wanted || found_.error_count() > before) return;
        check_body(of.content, *wanted, found_);
        auto const made = evaluate_body(of.content, *wanted, unknown_, found_);
        if (of.mode == resource_mode::ephemeral) return;
        diagnostics refused;
        refuse_ephemeral(of.content, *wanted, made, refused);
        if (wanted->judge != nullptr && found_.error_count() == before)
            if (auto const wrong = wanted->judge(made.unmarked_deep())) {
                auto const* const set = of.content.find(wrong->attribute);
                refused.add(error(
                    wrong->summary, wrong->detail, set == nullptr ? of.content.missing_item_range() : set->of.range()));
            }
        for (auto& one : refused) {
            one.address = (of_.is_root() ? "" : of_.display_name() + ".") + of.address();
            found_.add(one);
        }
    }

    void check_call(module_call const& of)
    {
        reference_context const making{nullptr, &of, false, true};
        check_repetition(of.count, of.for_each);
        for (auto const& refers : of.depends_on) check(refers, {});
        if (!of.child) return body_references(of.content, making);
        body_shape inputs;
        for (auto const& [name, one] : of.child->variables)
            inputs.arguments.push_back({name, !one.default_value.has_value()});
        check_body(of.content, inputs, found_);
        std::map<std::string, value, std::less<>> given;
        auto const before = found_.error_count();
        for (auto const& one : of.content.attributes) {
            auto const before_this = found_.error_count();
            expression_references(one.of, making);
            auto const wanted = of.child->variables.find(one.name);
            if (found_.error_count() == before_this && wanted != of.child->variables.end())
                given.emplace(one.name, argument_value(of, wanted->second, unknown_, found_));
        }
        if (found_.error_count() > before) return;
        // Rules that speak of other variables wait for the plan: there may come no instance of the module.
        for (auto const& [name, one] : of.child->variables) {
            auto const own = given.find(name);
            std::map<std::string, value, std::less<>> const known{
                {name, own != given.end() ? own->second : argument_value(of, one, unknown_, found_)}};
            check_validations(one, module_scope(*of.child, &known, {}, {}), found_, of.argument(name).range());
        }
    }

    void check_import(import_block const& of)
    {
        auto const* const to = as_traversal(of.to);
        diagnostics ignored;
        auto const target = to ? parse_reference(*to, of.to.file(), ignored) : std::nullopt;
        if (of.provider_range && target && of_.find_resource(*target))
            found_.add(error("Invalid import provider argument",
                "The provider argument can only be specified in import blocks that will generate configuration.\n\nUse "
                "the provider argument in the target resource block to configure the provider for a resource with "
                "explicit provider configuration.",
                of.provider_range));
    }

    void body_references(body const& content, reference_context const& context)
    {
        // The content of a dynamic block counts only where it is known that there are blocks of it.
        auto const has_blocks = [&](expression const& for_each, bound_names const& bound) {
            diagnostics ignored;
            auto const all = evaluate(for_each, bound_scope(unknown_, bound), ignored);
            return all.has_data() && all.size() > 0;
        };
        for_each_expression(
            content,
            [&](expression const& one, bound_names const& bound) { expression_references(one, context, bound); },
            has_blocks);
    }

    [[nodiscard]] schema const* schema_of(resource const& of) const
    {
        schema const* known = nullptr;
        switch (of.mode) {
        case resource_mode::managed: known = schemas_.resource(of.type); break;
        case resource_mode::data: known = schemas_.data_source(of.type); break;
        case resource_mode::ephemeral: known = schemas_.ephemeral(of.type); break;
        }
        // A type whose provider is not named is found by its own name.
        bool const named = !of.provider.empty() || !of_.required_providers.empty();
        return known && named && !schemas_.belongs_to(*known, provider_of(of_, of)) ? nullptr : known;
    }

    void check_resource(resource const& of)
    {
        auto const* const wanted = schema_of(of);
        if (!wanted) { tell_unknown_type(of); }
        reference_context const making{&of, nullptr, false, false};
        reference_context const inside{&of, nullptr, true, true};
        check_repetition(of.count, of.for_each);
        for (auto const& expression : {of.count, of.for_each}) owner_references(expression, of);
        check_stored(of, wanted, making);
        for (auto const& refers : of.depends_on) check(refers, {&of, nullptr, false, true});
        for (auto const& trigger : of.lifecycle.replace_triggered_by)
            expression_references(trigger, {&of, nullptr, false, true});
        for (auto const& rule : of.lifecycle.preconditions) check_rule(rule, {&of, nullptr, false, true});
        for (auto const& rule : of.lifecycle.postconditions) check_rule(rule, inside);
        if (of.connection) {
            if (of.provisioners.empty()) body_references(*of.connection, inside);  // nobody connects
            else check_connection(*of.connection, inside);
        }
        for (auto const& one : of.provisioners) {
            auto const* const shape = schemas_.provisioner(one.type);
            if (shape) check_body(one.content, *shape, found_);
            else
                found_.add(error("Missing required provisioner plugin",
                    "This configuration requires provisioner plugin \"" + one.type
                        + "\", which isn't available. If you're intending to use an external provisioner plugin, you "
                          "must "
                          "install it manually into one of the plugin search directories before running Terraform.",
                    one.range));
            check_content(one.content, shape, inside);
            if (one.connection) check_connection(*one.connection, inside);
        }
        for (auto const& ignored : of.lifecycle.ignore_changes) check_ignored(ignored, wanted, of);
    }

    void tell_unknown_type(resource const& of)
    {
        struct words {
            char const* summary;
            char const* kind;
        };
        static constexpr std::array<words, 3> by_mode{{{"Invalid resource type", "resource type"},
            {"Invalid data source", "data source"}, {"Invalid ephemeral resource", "ephemeral resource"}}};
        auto const& [summary, kind] = by_mode[static_cast<std::size_t>(of.mode)];
        auto const provider = provider_of(of_, of);
        if (!schemas_.has_provider(provider)) return;
        auto const source = shown_provider(provider);
        auto const instead = [&](char const* what, char const* block, char const* written) {
            return std::string("\n\nDid you intend to use the ") + what + " \"" + of.type
                + "\"? If so, declare this using a \"" + block + "\" block instead of a \"" + written + "\" block.";
        };
        std::string hint;
        if (of.mode == resource_mode::managed && schemas_.data_source(of.type))
            hint = instead("data source", "data", "resource");
        else if (of.mode == resource_mode::data && schemas_.resource(of.type))
            hint = instead("managed resource type", "resource", "data");
        found_.add(error(summary,
            "The provider " + source + " does not support " + kind + " \"" + of.type + "\"." + hint, of.type_range));
    }

    void check_connection(body const& content, reference_context const& context)
    {
        if (auto const* const shape = schemas_.connection()) check_body(content, *shape, found_);
        body_references(content, context);
    }

    void check_ignored(expression const& of, schema const* wanted, resource const& owner)
    {
        auto const* const path = as_traversal(of);
        if (!path || !wanted) return;
        std::vector<syntax::step> steps{{path->root, nullptr, path->root_range()}};
        steps.insert(steps.end(), path->steps.begin(), path->steps.end());
        check_steps(steps, *wanted, of.file(), found_);
        auto const* const attribute = wanted->find(path->root);
        if (attribute && attribute->computed && !attribute->optional && !attribute->required)
            found_.add(warning("Redundant ignore_changes element",
                "Adding an attribute name to ignore_changes tells Terraform to ignore future changes to the argument "
                "in "
                "configuration after the object has been created, retaining the value originally configured.\n\nThe "
                "attribute "
                    + attribute->name
                    + " is decided by the provider alone and therefore there can be no configured value to compare "
                      "with. "
                      "Including this attribute in ignore_changes has no effect. Remove the attribute from "
                      "ignore_changes to quiet this warning.",
                owner.type_range));
    }

    void owner_references(expression const& in, resource const& owner)
    {
        if (!in) return;
        diagnostics ignored;
        for (auto const& refers : references_of(in, ignored))
            if (is_owner(refers, owner)) tell_self(refers, owner);
    }

    [[nodiscard]] static bool is_owner(reference const& of, resource const& owner)
    {
        // The kinds of objects come first, in the order of the modes.
        bool const kind = static_cast<std::uint8_t>(of.kind) == static_cast<std::uint8_t>(owner.mode);
        return kind && of.type == owner.type && of.name == owner.name;
    }

    void tell_self(reference const& of, resource const& owner)
    {
        bool const repeated = owner.count || owner.for_each;
        auto const told = error("Self-referential block",
            "Configuration for " + (repeated ? of.address_with_key() : of.address()) + " may not refer to itself.",
            of.subject);
        found_.add(told);
        // Terraform tells it of the resource and of its instance, which have one address here.
        if (!repeated) found_.add(told);
    }

    /// Instances that refer to all instances wait for each other; each of them alone is no self reference.
    void tell_circle(reference const& of)
    {
        auto const address = of.address();
        found_.add(error("Cycle: " + address,
            "Each instance of " + address + " refers to all instances of it, and so to itself (reference at "
                + of.range.file->name() + ":" + std::to_string(of.range.file->line_of(of.range.bytes.begin)) + ")."));
    }

    void check(reference const& of, reference_context const& context)
    {
        if (tell_undeclared(of_, of, found_)) return;
        auto const name = std::string(of.name);
        switch (of.kind) {
        case reference_kind::variable:
        case reference_kind::local:
        case reference_kind::module: break;
        case reference_kind::count: check_count(of, context); break;
        case reference_kind::each: check_each(of, context); break;
        case reference_kind::self:
            if (context.self && context.owner) {
                if (auto const* const wanted = schema_of(*context.owner))
                    check_steps(of.steps, *wanted, of.range.file, found_);
            } else if (!context.self)
                found_.add(error("Invalid \"self\" reference",
                    "The \"self\" object is not available in this context. This object can be used only in resource "
                    "provisioner, connection, and postcondition blocks.",
                    of.subject));
            break;
        case reference_kind::path: {
            static constexpr std::array<std::string_view, 3> known{"cwd", "module", "root"};
            if (std::ranges::find(known, of.name) == known.end())
                found_.add(error("Invalid \"path\" attribute",
                    "The \"path\" object does not have an attribute named \"" + name + "\"."
                        + did_you_mean(name, known),
                    of.subject));
            break;
        }
        case reference_kind::terraform:
            if (name == "env")
                found_.add(error("Invalid \"terraform\" attribute",
                    "The terraform.env attribute was deprecated in v0.10 and removed in v0.12. The \"state "
                    "environment\" "
                    "concept was renamed to \"workspace\" in v0.12, and so the workspace name can now be accessed "
                    "using "
                    "the terraform.workspace attribute.",
                    of.subject));
            else if (name != "workspace" && name != "applying")
                found_.add(error("Invalid \"terraform\" attribute",
                    "The \"terraform\" object does not have an attribute named \"" + name
                        + "\". The only supported attributes are terraform.workspace, the name of the "
                          "currently-selected "
                          "workspace, and terraform.applying, a boolean which is true only during apply.",
                    of.subject));
            break;
        case reference_kind::resource:
        case reference_kind::data:
        case reference_kind::ephemeral: check_resource_reference(of, context); break;
        }
    }

    void check_count(reference const& of, reference_context const& context)
    {
        if (of.name != "index")
            found_.add(error("Invalid \"count\" attribute",
                "The \"count\" object does not have an attribute named \"" + std::string(of.name)
                    + "\". The only supported attribute is count.index, which is the index of each instance of a "
                      "resource "
                      "block that has the \"count\" argument set.",
                of.subject));
        else if (!context.counted())
            found_.add(error("Reference to \"count\" in non-counted context",
                "The \"count\" object can only be used in \"module\", \"resource\", and \"data\" blocks, and only when "
                "the "
                "\"count\" argument is set.",
                of.subject));
    }

    void check_each(reference const& of, reference_context const& context)
    {
        if (of.name != "key" && of.name != "value")
            found_.add(error("Invalid \"each\" attribute",
                "The \"each\" object does not have an attribute named \"" + std::string(of.name)
                    + "\". The supported attributes are each.key and each.value, the current key and value pair of the "
                      "\"for_each\" attribute set.",
                of.subject));
        else if (!context.repeated())
            found_.add(error("Reference to \"each\" in context without for_each",
                "The \"each\" object can be used only in \"module\" or \"resource\" blocks, and only when the "
                "\"for_each\" "
                "argument is set.",
                of.subject));
    }

    void check_resource_reference(reference const& of, reference_context const& context)
    {
        auto const* const target = of_.find_resource(of);
        if (auto const* const check = of_.check_of(*target);
            check && check != context.check && !(context.owner && check == of_.check_of(*context.owner))) {
            found_.add(error("Reference to scoped resource",
                "The referenced data resource \"" + std::string(of.type) + "\" \"" + std::string(of.name)
                    + "\" is not available from this context.",
                of.subject));
            return;
        }
        if (context.owner && !context.may_refer_to_owner && is_owner(of, *context.owner)) {
            bool const repeated = context.owner->count || context.owner->for_each;
            if (repeated && !of.key) tell_circle(of);
            else tell_self(of, *context.owner);
            return;
        }
        auto const address = of.address();
        bool const repeated = target->count || target->for_each;
        if (of.key && !repeated) {
            found_.add(error("Unexpected resource instance key",
                "Because " + address
                    + " does not have \"count\" or \"for_each\" set, references to it must not include an index key. "
                      "Remove "
                      "the bracketed index to refer to the single instance of this resource.",
                of.subject));
            return;
        }
        auto const rest = of.remaining();
        if (rest.empty() || (rest.front().key && !of.key)) return;
        if (!of.key && repeated) {
            std::string const key = target->count ? "count" : "for_each";
            found_.add(error("Missing resource instance key",
                "Because " + address + " has \"" + key
                    + "\" set, its attributes must be accessed on specific instances.\n\nFor example, to correlate "
                      "with "
                      "indices of a referring resource, use:\n    "
                    + address + (target->count ? "[count.index]" : "[each.key]"),
                of.subject));
            return;
        }
        auto const* const wanted = schema_of(*target);
        if (wanted) check_steps(rest, *wanted, of.range.file, found_);
    }

    configuration const& of_;
    schema_source const& schemas_;
    diagnostics& found_;
    module_scope unknown_;
};

}  // namespace

bool tell_undeclared(configuration const& in, reference const& of, diagnostics& found)
{
    auto const name = std::string(of.name);
    auto const tell = [&](char const* what, std::string detail, source_range place) {
        found.add(error(std::string("Reference to undeclared ") + what, std::move(detail), place));
        return true;
    };
    switch (of.kind) {
    case reference_kind::variable: {
        if (in.variables.contains(name)) return false;
        auto const hint = did_you_mean(name, names_of(in.variables));
        return tell("input variable",
            "An input variable with the name \"" + name + "\" has not been declared."
                + (hint.empty() ? " This variable can be declared with a variable \"" + name + "\" {} block." : hint),
            of.subject);
    }
    case reference_kind::local:
        if (in.locals.contains(name)) return false;
        return tell("local value",
            "A local value with the name \"" + name + "\" has not been declared."
                + did_you_mean(name, names_of(in.locals)),
            of.subject);
    case reference_kind::module:
        if (in.modules.contains(name)) return false;
        return tell("module",
            "No module call named \"" + name + "\" is declared in " + in.display_name() + "."
                + did_you_mean(name, names_of(in.modules)),
            of.range);
    case reference_kind::resource:
    case reference_kind::data:
    case reference_kind::ephemeral: {
        if (in.find_resource(of)) return false;
        std::string const mode = of.kind == reference_kind::data ? "A data"
            : of.kind == reference_kind::ephemeral               ? "An ephemeral"
                                                                 : "A managed";
        auto data = of;
        data.kind = reference_kind::data;
        bool const forgotten = of.kind == reference_kind::resource && in.find_resource(data);
        return tell("resource",
            mode + " resource \"" + std::string(of.type) + "\" \"" + name + "\" has not been declared in "
                + in.display_name() + "."
                + (forgotten ? "\n\nDid you mean the data resource " + data.address() + "?" : ""),
            of.subject);
    }
    default: return false;
    }
}

void tell_ephemeral_output(output_value const& of, diagnostics& found)
{
    found.add(error("Ephemeral value not allowed",
        "This output value is not declared as returning an ephemeral value, so it cannot be set to a result derived "
        "from an ephemeral value.",
        of.of.range()));
}

void tell_sensitive_output(output_value const& of, diagnostics& found)
{
    found.add(error("Output refers to sensitive values",
        "To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, Terraform "
        "requires that any root module output containing sensitive data be explicitly marked as sensitive, to confirm "
        "your intent.\n\nIf you do intend to export this data, annotate the output value as sensitive by adding the "
        "following argument:\n    sensitive = true",
        of.range));
}

namespace {

/// A part of a version constraint that names a prerelease, or nothing.
[[nodiscard]] std::string_view prerelease_in(std::string_view constraint)
{
    while (!constraint.empty()) {
        auto const comma = std::min(constraint.find(','), constraint.size());
        auto const part = constraint.substr(0, comma);
        constraint.remove_prefix(std::min(comma + 1, constraint.size()));
        if (part.find('-') != std::string_view::npos) return part;
    }
    return {};
}

void check_version(configuration const& in, std::string const& wanted, source_range place, diagnostics& found)
{
    if (auto const part = prerelease_in(wanted); !part.empty())
        return found.add(error("Invalid required_version constraint",
            "Prerelease version constraints are not supported: " + std::string(part)
                + ". Remove the prerelease information from the constraint. Prerelease versions of terraform will "
                  "match "
                  "constraints using their version core only.",
            place));
    if (satisfies(language_version, wanted) != false) return;
    found.add(error("Unsupported Terraform Core version",
        (in.is_root() ? "This configuration" : "Module " + in.display_name() + " (from " + in.source + ")")
            + " does not support Terraform version " + std::string(language_version)
            + ". To proceed, either choose another supported Terraform version or update this version constraint. "
              "Version constraints are normally set for good reason, so updating the constraint may lead to other "
              "errors or unexpected behavior.",
        place));
}

}  // namespace

void check_settings(configuration const& root, diagnostics& found)
{
    for_each_module(root, [&](configuration const& one) {
        for (auto const& [text, place] : one.required_versions) check_version(one, text, place, found);
    });
    check_providers(root, found);
}

void tell_missing_providers(configuration const& root, schema_source const& schemas, diagnostics& found)
{
    for (auto const& [address, place] : providers_asked_for(root))
        if (!schemas.has_provider(address))
            found.add(error("Missing required provider",
                "This configuration requires provider " + address
                    + ", but that provider isn't available. It is asked for at " + place.text()
                    + ". Providers are parts of this program, so none can be installed."));
}

void validate(configuration const& of, schema_source const& schemas, diagnostics& found)
{
    if (of.is_root()) {
        check_settings(of, found);
        tell_missing_providers(of, schemas, found);
    }
    auto const used = used_providers(of);
    for_each_module(of, [&](configuration const& one) { validator(one, schemas, found).run(used); });
}

void validate_references(configuration const& of, expression const& in, reference_context const& context,
    schema_source const& schemas, diagnostics& found)
{
    validator(of, schemas, found).expression_references(in, context);
}

}  // namespace iacctl::language
