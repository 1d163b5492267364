// SPDX-License-Identifier: BSL-1.0
#include "block_decoder.hpp"

#include "block_shapes.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/scanner.hpp"
#include "language/values/convert.hpp"
#include "overrides.hpp"
#include "support/in_quotes.hpp"

#include <algorithm>
#include <array>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] bool labels_fit(block const& of)
{
    auto const known = std::ranges::find(shapes::file.blocks, of.type, &body_shape::nested::type);
    return known != shapes::file.blocks.end() && known->labels.size() == of.labels.size();
}

/// How messages speak of the blocks of one mode.
struct mode_words {
    std::string block;
    std::string noun;
    std::string several;
    char const* bad_type;
    char const* bad_name;
    body_shape const& shape;
};

[[nodiscard]] mode_words const& words_of(resource_mode mode)
{
    static mode_words const managed{
        "resource", "resource", "resources", "Invalid resource type name", "Invalid resource name", shapes::resource};
    static mode_words const data{"data", "data resource", "data sources", "Invalid data source name",
        "Invalid data resource name", shapes::data};
    static mode_words const ephemeral{"ephemeral", "ephemeral resource", "resources", "Invalid ephemeral resource type",
        "Invalid ephemeral resource name", shapes::ephemeral};
    return mode == resource_mode::managed ? managed : mode == resource_mode::data ? data : ephemeral;
}

/// A traversal relative to an object: a bare name, or one with steps.
[[nodiscard]] bool is_traversal(expression const& of)
{
    return as_traversal(of) != nullptr;
}

}  // namespace

void block_decoder::decode(body const& file)
{
    check_body(file, shapes::file, found_);
    for (auto const& one : file.blocks) {
        if (!labels_fit(one)) continue;
        if (one.type == "terraform") decode_terraform(one);
        else if (one.type == "provider") decode_provider(one);
        else if (one.type == "variable") decode_variable(one);
        else if (one.type == "locals") decode_locals(one);
        else if (one.type == "output") decode_output(one);
        else if (one.type == "resource") decode_resource(one, resource_mode::managed);
        else if (one.type == "data") decode_resource(one, resource_mode::data);
        else if (one.type == "module") decode_module(one);
        else if (one.type == "moved") decode_moved(one);
        else if (one.type == "removed") decode_removed(one);
        else if (one.type == "import") decode_import(one);
        else if (one.type == "check") decode_check(one);
        else if (one.type == "ephemeral") decode_resource(one, resource_mode::ephemeral);
        else if (one.type == "required_providers")
            found_.add(error("Invalid required_providers block",
                "A \"required_providers\" block must be nested inside a \"terraform\" block.", one.type_range));
    }
}

bool block_decoder::check_name(label const& of, char const* summary)
{
    if (is_identifier(of.text)) return true;
    found_.add(error(summary, bad_identifier, of.range));
    return false;
}

void block_decoder::check_self_references(resource const& of)
{
    auto const check = [&](expression const& in, char const* kind) {
        if (!in) return;
        diagnostics ignored;
        for (auto const& refers : references_of(in, ignored)) {
            if (refers.address() != of.address()) continue;
            found_.add(error("Invalid reference in " + std::string(kind),
                "Configuration for " + of.address() + " may not refer to itself.", in.range()));
            return;
        }
    };
    for (auto const& rule : of.lifecycle.preconditions) {
        check(rule.condition, "precondition");
        check(rule.error_message, "precondition");
    }
    for (auto const& rule : of.lifecycle.postconditions) {
        check(rule.condition, "postcondition");
        check(rule.error_message, "postcondition");
    }
}

void block_decoder::decode_variable(block const& of)
{
    static constexpr std::array reserved{
        "source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"};
    auto const& content = of.content;
    check_body(content, shapes::variable, found_);
    variable made;
    made.name = of.labels[0].text;
    made.range = of.header_range();
    static_cast<void>(check_name(of.labels[0], "Invalid variable name"));
    if (std::ranges::find(reserved, made.name) != reserved.end())
        found_.add(error("Invalid variable name",
            "The variable name " + in_quotes(made.name)
                + " is reserved due to its special meaning inside module blocks.",
            of.labels[0].range));
    if (auto const* const one = content.find("description"))
        made.description = constant_string(*one, found_).value_or("");
    if (auto const* const one = content.find("type")) {
        auto const before = found_.error_count();
        auto constraint = parse_type(unquoted_json(one->of, into_.files, found_), found_);
        if (found_.error_count() == before) made.constraint = std::move(constraint);
        made.has_type = true;
    }
    if (auto const* const one = content.find("sensitive")) made.sensitive = constant_bool(*one, found_).value_or(false);
    if (auto const* const one = content.find("ephemeral")) made.ephemeral = constant_bool(*one, found_).value_or(false);
    if (auto const* const one = content.find("nullable")) made.nullable = constant_bool(*one, found_).value_or(true);
    decode_default(made, content);
    for (auto const& one : content.blocks) {
        if (one.type != "validation") continue;
        auto rule = decode_rule(one, "validation");
        if (rule.condition) {
            diagnostics ignored;
            auto const all = references_of(rule.condition, ignored);
            bool const refers = std::ranges::any_of(
                all, [&](reference const& r) { return r.kind == reference_kind::variable && r.name == made.name; });
            if (!refers)
                found_.add(error("Invalid variable validation condition",
                    "The condition for variable " + in_quotes(made.name) + " must refer to var." + made.name
                        + " in order to test incoming values.",
                    rule.condition.range()));
        }
        made.validations.push_back(std::move(rule));
    }
    auto const [place, fresh] = into_.variables.emplace(made.name, made);
    if (!fresh)
        found_.add(error("Duplicate variable declaration",
            "A variable named " + in_quotes(made.name) + " was already declared at " + place->second.range.text()
                + ". Variable names must be unique within a module.",
            made.range));
}

void block_decoder::decode_default(variable& made, body const& content)
{
    auto const* const one = content.find("default");
    if (!one) return;
    auto const before = found_.error_count();
    auto given = evaluate(one->of, constant_scope(), found_);
    if (found_.error_count() > before) return;
    if (made.constraint.defaults) given = with_defaults(given, *made.constraint.defaults);
    auto const converted = convert(given, made.constraint.of);
    if (!converted) {
        tell_bad_default(*one, content.find("type"), converted.error().text());
        made.default_value = value::unknown(made.constraint.of.without_optional());
        return;
    }
    if (!made.nullable && converted->is_null()) {
        found_.add(error("Invalid default value for variable", "A null default value is not valid when nullable=false.",
            one->of.range()));
        return;
    }
    made.default_value = *converted;
}

void block_decoder::tell_bad_default(attribute const& of, attribute const* wanted, std::string const& why)
{
    // Two files give them only where one overrides the other, and then the overriding block is to blame.
    bool const overridden = wanted && wanted->of.file() != of.of.file();
    bool const by_type = overridden && is_override_file(wanted->range.file->name());
    auto const place = by_type ? wanted->range : of.range;
    found_.add(error("Invalid default value for variable",
        (by_type ? "Overriding this variable's type constraint has made its default value invalid: "
                : overridden
                ? "The overridden default value for this variable is not compatible with the variable's type "
                  "constraint: "
                : "This default value is not compatible with the variable's type constraint: ")
            + why + ".",
        overridden ? source_range{place.file, place.file->header_around(place.bytes.begin)} : of.of.range()));
}

void block_decoder::decode_locals(block const& of)
{
    for (auto const& one : of.content.blocks)
        found_.add(
            error("Unexpected " + in_quotes(one.type) + " block", "Blocks are not allowed here.", one.type_range));
    for (auto const& one : of.content.attributes) {
        local_value made{std::string(one.name), one.of, one.range};
        auto const [place, fresh] = into_.locals.emplace(made.name, made);
        if (!fresh)
            found_.add(error("Duplicate local value definition",
                "A local value named " + in_quotes(made.name) + " was already defined at " + place->second.range.text()
                    + ". Local value names must be unique within a module.",
                made.range));
    }
}

void block_decoder::decode_output(block const& of)
{
    auto const& content = of.content;
    check_body(content, shapes::output, found_);
    output_value made;
    made.name = of.labels[0].text;
    made.range = of.header_range();
    static_cast<void>(check_name(of.labels[0], "Invalid output name"));
    if (auto const* const one = content.find("description"))
        made.description = constant_string(*one, found_).value_or("");
    if (auto const* const one = content.find("value")) made.of = one->of;
    if (auto const* const one = content.find("sensitive")) made.sensitive = constant_bool(*one, found_).value_or(false);
    if (auto const* const one = content.find("ephemeral")) made.ephemeral = constant_bool(*one, found_).value_or(false);
    if (auto const* const one = content.find("depends_on")) made.depends_on = decode_depends_on(*one);
    for (auto const& one : content.blocks) {
        if (one.type == "precondition") made.preconditions.push_back(decode_rule(one, "precondition"));
        if (one.type == "postcondition")
            found_.add(error("Postconditions are not allowed",
                "Output values can only have preconditions, not postconditions.", one.type_range));
    }
    auto const [place, fresh] = into_.outputs.emplace(made.name, made);
    if (!fresh)
        found_.add(error("Duplicate output definition",
            "An output named " + in_quotes(made.name) + " was already defined at " + place->second.range.text()
                + ". Output names must be unique within a module.",
            made.range));
}

check_rule block_decoder::decode_rule(block const& of, std::string const& kind)
{
    check_body(of.content, shapes::rule, found_);
    check_rule made;
    made.range = of.header_range();
    if (auto const* const one = of.content.find("condition")) {
        made.condition = one->of;
        bool refers = false;
        for_each_traversal(one->of, [&](syntax::traversal const&) { refers = true; });
        if (!refers)
            found_.add(error("Invalid " + kind + " expression",
                "The condition expression must refer to at least one object from elsewhere in the configuration, or "
                "else its result would not be checking anything.",
                one->of.range()));
    }
    if (auto const* const one = of.content.find("error_message")) made.error_message = one->of;
    return made;
}

std::vector<reference> block_decoder::decode_depends_on(attribute const& of)
{
    std::vector<reference> made;
    for (auto const& written : static_list(of.of, found_)) {
        auto const one = unquoted_reference(written, into_.files, found_);
        auto const traversal = as_static_traversal(one);
        if (!traversal) {
            found_.add(error("Invalid expression",
                "A single static variable reference is required: only attribute access and indexing with constant "
                "keys. "
                "No calculations, function calls, template expressions, etc are allowed here.",
                one.range()));
            continue;
        }
        auto const parsed = parse_reference(*traversal, one.file(), found_);
        if (!parsed) continue;
        auto const rest = parsed->remaining();
        bool const output = parsed->kind == reference_kind::module && rest.size() == 1 && !rest[0].key;
        if (!rest.empty() && !output) {
            found_.add(error("Invalid depends_on reference",
                "References in depends_on must be to a whole object (resource, etc), not to an attribute of an object.",
                one.at(between(rest.front().range, rest.back().range))));
            continue;
        }
        made.push_back(*parsed);
    }
    return made;
}

void block_decoder::decode_resource(block const& of, resource_mode mode)
{
    auto made = read_resource(of, mode);
    auto const [place, fresh] = into_.resources.emplace(made.address(), made);
    if (!fresh) tell_duplicate(made, place->second);
}

void block_decoder::tell_duplicate(resource const& again, resource const& first)
{
    auto const& words = words_of(again.mode);
    found_.add(error("Duplicate " + words.block + " " + in_quotes(again.type) + " configuration",
        "A " + again.type + " " + words.noun + " named " + in_quotes(again.name) + " was already declared at "
            + first.range.text() + ". Resource names must be unique per type in each module.",
        again.range));
}

resource block_decoder::read_resource(block const& of, resource_mode mode)
{
    bool const managed = mode == resource_mode::managed;
    auto const& content = of.content;
    auto const& words = words_of(mode);
    auto const& known = words.shape;
    check_body(content, known, found_, true);
    resource made;
    made.mode = mode;
    made.type = of.labels[0].text;
    made.name = of.labels[1].text;
    made.range = of.header_range();
    made.type_range = of.labels[0].range;
    made.content = without(content, known);
    static_cast<void>(check_name(of.labels[0], words.bad_type));
    static_cast<void>(check_name(of.labels[1], words.bad_name));
    if (auto const* const one = content.find("count")) made.count = one->of;
    if (auto const* const one = content.find("for_each")) {
        made.for_each = one->of;
        if (made.count)
            found_.add(error("Invalid combination of \"count\" and \"for_each\"",
                std::string(
                    "The \"count\" and \"for_each\" meta-arguments are mutually-exclusive, only one should be used "
                    "to be explicit about the number of ")
                    + words.several + " to be created.",
                one->name_range()));
    }
    if (auto const* const one = content.find("depends_on")) made.depends_on = decode_depends_on(*one);
    if (auto const* const one = content.find("provider"))
        if (auto const wanted = decode_provider_reference(one->of, "provider")) made.provider = wanted->name;
    block const* seen_lifecycle = nullptr;
    block const* seen_connection = nullptr;
    for (auto const& one : content.blocks) {
        if (one.type == "lifecycle") {
            if (seen_lifecycle) {
                found_.add(error("Duplicate lifecycle block",
                    "This resource already has a lifecycle block at " + seen_lifecycle->header_range().text() + ".",
                    one.header_range()));
                continue;
            }
            seen_lifecycle = &one;
            decode_lifecycle(one, made);
            check_self_references(made);
        } else if (managed && one.type == "connection") {
            if (seen_connection) {
                found_.add(error("Duplicate connection block",
                    "This resource already has a connection block at " + seen_connection->header_range().text() + ".",
                    one.header_range()));
                continue;
            }
            seen_connection = &one;
            made.connection = one.content;
        } else if (managed && one.type == "provisioner" && one.labels.size() == 1) {
            decode_provisioner(one, made);
        } else if (one.type == "locals") {
            found_.add(error("Reserved block type name in " + words.block + " block",
                "The block type name " + in_quotes(one.type) + " is reserved for use by Terraform in a future version.",
                one.type_range));
        }
    }
    add_escaped(of, made.content);
    for (auto const& one : made.provisioners)
        if (one.when == provisioner_time::destroy && made.connection && !one.connection)
            check_destroy_references({one.type, one.when, one.on_failure, *made.connection, std::nullopt, one.range});
    return made;
}

void block_decoder::decode_lifecycle(block const& of, resource& made)
{
    auto const& content = of.content;
    auto& into = made.lifecycle;
    check_body(content, shapes::lifecycle, found_);
    if (made.mode != resource_mode::managed) {
        auto const& noun = words_of(made.mode).noun;
        for (auto const& one : content.attributes)
            if (std::ranges::find(shapes::lifecycle.arguments, one.name, &body_shape::argument::name)
                != shapes::lifecycle.arguments.end())
                found_.add(error("Invalid " + noun + " lifecycle argument",
                    "The lifecycle argument " + in_quotes(one.name)
                        + " is defined only for managed resources (\"resource\" blocks), and is not valid for " + noun
                        + "s.",
                    one.name_range()));
    } else {
        if (auto const* const one = content.find("create_before_destroy")) {
            into.create_before_destroy = constant_bool(*one, found_).value_or(false);
            into.create_before_destroy_set = true;
        }
        if (auto const* const one = content.find("prevent_destroy"))
            into.prevent_destroy = constant_bool(*one, found_).value_or(false);
        if (auto const* const one = content.find("ignore_changes")) decode_ignore_changes(*one, made);
        if (auto const* const one = content.find("replace_triggered_by")) decode_triggers(*one, made);
    }
    for (auto const& one : content.blocks) {
        if (one.type == "precondition") into.preconditions.push_back(decode_rule(one, "precondition"));
        if (one.type == "postcondition") into.postconditions.push_back(decode_rule(one, "postcondition"));
    }
}

void block_decoder::decode_ignore_changes(attribute const& of, resource& made)
{
    if (as_keyword(unquoted_json(of.of, into_.files, found_)) == "all") {
        made.lifecycle.ignore_all_changes = true;
        return;
    }
    bool wildcard = false;
    for (auto const& written : static_list(of.of, found_)) {
        auto const one = unquoted_reference(written, into_.files, found_);
        if (one.file()->text(one.range().bytes) == "\"*\"") {
            wildcard = true;
            found_.add(error("Invalid ignore_changes wildcard",
                "The [\"*\"] form of ignore_changes wildcard is was deprecated and is now invalid. Use "
                "\"ignore_changes = "
                "all\" to ignore changes to all attributes.",
                written.range()));
            continue;
        }
        if (is_traversal(one)) {
            made.lifecycle.ignore_changes.push_back(one);
            continue;
        }
        found_.add(error("Invalid expression",
            "A single static variable reference is required: only attribute access and indexing with constant keys. No "
            "calculations, function calls, template expressions, etc are allowed here.",
            one.range()));
    }
    if (wildcard && !made.lifecycle.ignore_changes.empty())
        found_.add(error("Invalid ignore_changes ruleset",
            "Cannot mix wildcard string \"*\" with non-wildcard references.", of.of.range()));
}

void block_decoder::decode_triggers(attribute const& of, resource& made)
{
    static constexpr auto summary = "Invalid replace_triggered_by expression";
    for (auto const& written : static_list(of.of, found_)) {
        auto const one = unquoted_json(written, into_.files, found_);
        auto const before = found_.error_count();
        std::size_t resources = 0;
        for (auto const& refers : references_of(one, found_)) {
            bool const instance = (refers.kind == reference_kind::each && refers.name == "key")
                || (refers.kind == reference_kind::count && refers.name == "index");
            if (refers.kind == reference_kind::resource) ++resources;
            else if (refers.kind == reference_kind::each && !instance)
                found_.add(error("Invalid each reference in replace_triggered_by expression",
                    "Only each.key may be used in replace_triggered_by.", one.range()));
            else if (refers.kind == reference_kind::count && !instance)
                found_.add(error("Invalid count reference in replace_triggered_by expression",
                    "Only count.index may be used in replace_triggered_by.", one.range()));
            else if (!instance)
                found_.add(error("Invalid reference in replace_triggered_by expression",
                    "Only resources, count.index, and each.key may be used in replace_triggered_by.", one.range()));
        }
        if (resources == 0)
            found_.add(error(summary, "Missing resource reference in replace_triggered_by expression.", one.range()));
        else if (resources > 1)
            found_.add(error(summary, "Multiple resource references in replace_triggered_by expression.", one.range()));
        // After the first mistake the rest is not looked at.
        if (found_.error_count() > before) return;
        made.lifecycle.replace_triggered_by.push_back(one);
    }
}

void block_decoder::decode_provisioner(block const& of, resource& made)
{
    provisioner one;
    one.type = of.labels[0].text;
    one.range = of.header_range();
    check_body(of.content, shapes::provisioner, found_, true);
    if (one.type == "chef" || one.type == "habitat" || one.type == "puppet" || one.type == "salt-masterless") {
        found_.add(error("The \"" + one.type + "\" provisioner has been removed",
            "The \"" + one.type
                + "\" provisioner was deprecated in Terraform 0.13.4 has been removed from Terraform. Visit "
                  "https://learn.hashicorp.com/collections/terraform/provision for alternatives to using provisioners "
                  "that "
                  "are a better fit for the Terraform workflow.",
            of.type_range));
        return;
    }
    if (auto const* const when = of.content.find("when")) {
        auto const word = keyword_of(*when, found_);
        if (word == "destroy") one.when = provisioner_time::destroy;
        else if (word != "create")
            found_.add(error("Invalid \"when\" keyword",
                "The \"when\" argument requires one of the following keywords: create or destroy.", when->of.range()));
    }
    if (auto const* const action = of.content.find("on_failure")) {
        auto const word = keyword_of(*action, found_);
        if (word == "continue") one.on_failure = failure_action::keep_going;
        else if (word != "fail")
            found_.add(error("Invalid \"on_failure\" keyword",
                "The \"on_failure\" argument requires one of the following keywords: continue or fail.",
                action->of.range()));
    }
    one.content = without(of.content, shapes::provisioner);
    for (auto const& inner : of.content.blocks) {
        if (inner.type == "connection") {
            if (one.connection)
                found_.add(error("Duplicate connection block", "This provisioner already has a connection block.",
                    inner.header_range()));
            else one.connection = inner.content;
        } else if (inner.type == "lifecycle") {
            found_.add(error("Reserved block type name in provisioner block",
                "The block type name \"lifecycle\" is reserved for use by Terraform in a future version.",
                inner.type_range));
        }
    }
    add_escaped(of, one.content);
    if (one.when == provisioner_time::destroy) check_destroy_references(one);
    made.provisioners.push_back(std::move(one));
}

void block_decoder::add_escaped(block const& of, body& to)
{
    block const* first = nullptr;
    for (auto const& one : of.content.blocks) {
        if (one.type != "_") continue;
        if (first) {
            found_.add(error("Duplicate escaping block",
                "A \"" + std::string(of.type)
                    + "\" block can have one block of the type \"_\" only, which holds arguments whose names the "
                      "language uses itself. The first one is at "
                    + first->header_range().text() + ".",
                one.header_range()));
            continue;
        }
        first = &one;
        for (auto const& inner : one.content.attributes) {
            auto const* const set = to.find(inner.name);
            if (set)
                found_.add(error("Duplicate argument",
                    "The argument " + in_quotes(inner.name) + " is set already, at " + set->name_range().text() + ".",
                    inner.name_range()));
            else to.attributes.push_back(inner);
        }
        to.blocks.insert(to.blocks.end(), one.content.blocks.begin(), one.content.blocks.end());
    }
}

void block_decoder::check_destroy_references(provisioner const& of)
{
    auto const check = [&](body const& content) {
        diagnostics ignored;
        for (auto const& refers : references_of(content, ignored)) {
            bool const allowed = refers.kind == reference_kind::self || refers.kind == reference_kind::path
                || refers.kind == reference_kind::terraform
                || (refers.kind == reference_kind::count && refers.name == "index")
                || (refers.kind == reference_kind::each && refers.name == "key");
            if (allowed) continue;
            found_.add(error("Invalid reference from destroy provisioner",
                "Destroy-time provisioners and their connection configurations may only reference attributes of the "
                "related "
                "resource, via 'self', 'count.index', or 'each.key'.\n\nReferences to other resources during the "
                "destroy "
                "phase can cause dependency cycles and interact poorly with create_before_destroy.",
                refers.range));
        }
    };
    check(of.content);
    if (of.connection) check(*of.connection);
}

}  // namespace iacctl::language::detail
