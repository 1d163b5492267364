// SPDX-License-Identifier: BSL-1.0
#include "block_decoder.hpp"

#include "block_shapes.hpp"
#include "file_names.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/syntax/scanner.hpp"
#include "language/values/convert.hpp"
#include "messages/configuration.hpp"

#include <algorithm>
#include <array>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto labels_fit(block const& b) -> bool
{
    auto const known = std::ranges::find(shapes::file.blocks, b.type, &body_shape::nested::type);
    return known != shapes::file.blocks.end() && known->labels.size() == b.labels.size();
}

/// The terms for the blocks of one mode in messages.
struct mode_words {
    std::string_view block;
    std::string_view noun;
    std::string_view type;
    std::string_view name;
    body_shape const& shape;
};

[[nodiscard]] auto words_of(resource_mode mode) -> mode_words const&
{
    static mode_words const managed{"resource", "resource", "resource type name", "resource name", shapes::resource};
    static mode_words const data{"data", "data resource", "data source name", "data resource name", shapes::data};
    static mode_words const ephemeral{
        "ephemeral", "ephemeral resource", "ephemeral resource type", "ephemeral resource name", shapes::ephemeral};
    static mode_words const action{"action", "action", "action type name", "action name", shapes::action};
    static mode_words const list{"list", "list", "list type name", "list name", shapes::list};
    switch (mode) {
    case resource_mode::managed: return managed;
    case resource_mode::data: return data;
    case resource_mode::ephemeral: return ephemeral;
    case resource_mode::action: return action;
    case resource_mode::list: break;
    }
    return list;
}

[[nodiscard]] auto replaces_others(std::string_view file) -> bool
{
    auto const name = configuration_file_name::parse(file);
    return name && name->is_override();
}

/// Returns whether it is a traversal relative to an object: a bare name, or one with steps.
[[nodiscard]] auto is_traversal(expression const& e) -> bool
{
    return as_traversal(e) != nullptr;
}

}  // namespace

void block_decoder::decode(body const& file)
{
    check_body(file, shapes::file, found_);
    for (auto const& one : file.blocks) {
        if (!labels_fit(one)) continue;
        if (one.type == "terraform") decode_terraform(one);
        else if (one.type == "language") decode_language(one);
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
        else if (one.type == "action") decode_action(one);
        else if (one.type == "list") found_.add(error(messages::list_outside_query_file, one.type_range));
        else if (one.type == "required_providers")
            found_.add(error(messages::required_providers_outside_terraform, one.type_range));
    }
}

void block_decoder::decode_query(body const& file)
{
    check_body(file, shapes::query_file, found_);
    for (auto const& one : file.blocks) {
        if (!labels_fit(one)) continue;
        if (one.type == "provider") decode_provider(one);
        else if (one.type == "variable") decode_variable(one);
        else if (one.type == "locals") decode_locals(one);
        else if (one.type == "list") {
            check_word(into_.dialect, origin_program::terraform, one.type, "1.14", one.type_range, found_);
            decode_resource(one, resource_mode::list);
        }
    }
}

auto block_decoder::check_name(label const& l, std::string_view kind) -> bool
{
    if (is_identifier(l.text)) return true;
    found_.add(error(messages::invalid_name, {kind, l.text}, l.range));
    return false;
}

void block_decoder::check_self_references(resource const& r)
{
    auto const check = [&](expression const& in, messages::message<1> const& refusal) {
        if (!in) return;
        diagnostics ignored;
        for (auto const& refers : references_of(in, ignored)) {
            if (refers.address() != r.address()) continue;
            found_.add(error(refusal, {r.address()}, in.range()));
            return;
        }
    };
    for (auto const& rule : r.lifecycle.preconditions) {
        check(rule.condition, messages::precondition_refers_to_own_object);
        check(rule.error_message, messages::precondition_refers_to_own_object);
    }
    for (auto const& rule : r.lifecycle.postconditions) {
        check(rule.condition, messages::postcondition_refers_to_own_object);
        check(rule.error_message, messages::postcondition_refers_to_own_object);
    }
}

void block_decoder::decode_variable(block const& b)
{
    static constexpr std::array reserved{
        "source", "version", "providers", "count", "for_each", "lifecycle", "depends_on", "locals"};
    auto const& content = b.content;
    check_body(content, shapes::variable, found_);
    variable made;
    made.name = b.labels[0].text;
    made.range = b.header_range();
    static_cast<void>(check_name(b.labels[0], "variable name"));
    if (std::ranges::find(reserved, made.name) != reserved.end())
        found_.add(error(messages::reserved_variable_name, {made.name}, b.labels[0].range));
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
    if (auto const* const one = content.find("const")) {
        made.constant = constant_bool(*one, found_);
        if (made.constant == true && (made.sensitive || made.ephemeral))
            found_.add(error(
                messages::const_variable_is_secret, {made.sensitive ? "sensitive" : "ephemeral"}, one->of.range()));
    }
    if (auto const* const one = content.find("deprecated")) made.deprecated = decode_deprecation(*one);
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
                found_.add(error(messages::validation_ignores_its_variable, {made.name}, rule.condition.range()));
        }
        made.validations.push_back(std::move(rule));
    }
    auto const [place, fresh] = into_.variables.emplace(made.name, made);
    if (!fresh) found_.add(error(messages::duplicate_variable, {made.name, place->second.range.text()}, made.range));
}

auto block_decoder::decode_deprecation(attribute const& a) -> std::optional<std::string>
{
    auto text = constant_string(a, found_);
    if (text && text->empty()) {
        found_.add(error(messages::empty_deprecation, a.of.range()));
        return std::nullopt;
    }
    return text;
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
        report_bad_default(*one, content.find("type"), converted.error().text());
        made.default_value = value::unknown(made.constraint.of.without_optional());
        return;
    }
    if (!made.nullable && converted->is_null()) {
        found_.add(error(messages::null_default, one->of.range()));
        return;
    }
    made.default_value = *converted;
}

void block_decoder::report_bad_default(attribute const& a, attribute const* desired, std::string const& why)
{
    // Only an override can be in another file, and then the error is in the overriding block.
    bool const overridden = desired && desired->of.file() != a.of.file();
    bool const by_type = overridden && replaces_others(desired->range.file->name());
    auto const place = by_type ? desired->range : a.range;
    auto const& refusal = by_type ? messages::unsuitable_default_for_overriding_type
        : overridden              ? messages::unsuitable_overriding_default
                                  : messages::unsuitable_default;
    found_.add(error(refusal, {why},
        overridden ? source_range{place.file, place.file->header_around(place.bytes.begin)} : a.of.range()));
}

void block_decoder::decode_locals(block const& b)
{
    for (auto const& one : b.content.blocks) found_.add(error(messages::unexpected_block, {one.type}, one.type_range));
    for (auto const& one : b.content.attributes) {
        // Only names in JSON can be anything else.
        if (!is_identifier(one.name))
            found_.add(error(messages::invalid_name, {"local value name", one.name}, one.range));
        local_value made{std::string(one.name), one.of, one.range};
        auto const [place, fresh] = into_.locals.emplace(made.name, made);
        if (!fresh)
            found_.add(error(messages::duplicate_local_value, {made.name, place->second.range.text()}, made.range));
    }
}

void block_decoder::decode_output(block const& b)
{
    auto const& content = b.content;
    check_body(content, shapes::output, found_);
    output_value made;
    made.name = b.labels[0].text;
    made.range = b.header_range();
    static_cast<void>(check_name(b.labels[0], "output name"));
    if (auto const* const one = content.find("description"))
        made.description = constant_string(*one, found_).value_or("");
    if (auto const* const one = content.find("value")) made.of = one->of;
    if (auto const* const one = content.find("sensitive")) made.sensitive = constant_bool(*one, found_).value_or(false);
    if (auto const* const one = content.find("ephemeral")) made.ephemeral = constant_bool(*one, found_).value_or(false);
    if (auto const* const one = content.find("depends_on")) made.depends_on = decode_depends_on(*one);
    if (auto const* const one = content.find("deprecated")) made.deprecated = decode_deprecation(*one);
    if (auto const* const one = content.find("type")) {
        check_word(into_.dialect, origin_program::terraform, "output.type", "1.15", one->name_range(), found_);
        auto const before = found_.error_count();
        auto constraint = parse_type(unquoted_json(one->of, into_.files, found_), found_);
        if (found_.error_count() == before) made.constraint = std::move(constraint);
    }
    for (auto const& one : content.blocks) {
        if (one.type == "precondition") made.preconditions.push_back(decode_rule(one, "precondition"));
        if (one.type == "postcondition") found_.add(error(messages::output_with_postcondition, one.type_range));
    }
    auto const [place, fresh] = into_.outputs.emplace(made.name, made);
    if (!fresh) found_.add(error(messages::duplicate_output, {made.name, place->second.range.text()}, made.range));
}

auto block_decoder::decode_rule(block const& b, std::string const& kind) -> check_rule
{
    check_body(b.content, shapes::rule, found_);
    check_rule made;
    made.range = b.header_range();
    if (auto const* const one = b.content.find("condition")) {
        made.condition = one->of;
        bool refers = false;
        for_each_traversal(one->of, [&](syntax::traversal const&) { refers = true; });
        if (!refers) found_.add(error(messages::condition_without_reference, {kind}, one->of.range()));
    }
    if (auto const* const one = b.content.find("error_message")) made.error_message = one->of;
    return made;
}

auto block_decoder::decode_depends_on(attribute const& a) -> std::vector<reference>
{
    std::vector<reference> made;
    for (auto const& written : static_list(a.of, found_)) {
        auto const one = unquoted_reference(written, into_.files, found_);
        auto const traversal = as_static_traversal(one);
        if (!traversal) {
            found_.add(error(messages::static_reference_required, one.range()));
            continue;
        }
        auto const parsed = parse_reference(*traversal, one.file(), found_);
        if (!parsed) continue;
        auto const rest = parsed->remaining();
        bool const output = parsed->kind == reference_kind::module && rest.size() == 1 && !rest[0].key;
        if (!rest.empty() && !output) {
            found_.add(error(messages::depends_on_attribute, one.at(between(rest.front().range, rest.back().range))));
            continue;
        }
        made.push_back(*parsed);
    }
    return made;
}

void block_decoder::decode_resource(block const& b, resource_mode mode)
{
    auto made = read_resource(b, mode);
    auto const [place, fresh] =
        into_.resources.try_emplace(made.address(), std::move(made));  // moved from only if inserted
    if (!fresh) report_duplicate(made, place->second);
}

void block_decoder::report_duplicate(resource const& again, resource const& first)
{
    found_.add(error(messages::duplicate_resource,
        {words_of(again.mode).block, again.type, again.name, first.range.text()}, again.range));
}

auto block_decoder::read_resource(block const& b, resource_mode mode) -> resource
{
    bool const managed = mode == resource_mode::managed;
    auto const& content = b.content;
    auto const& words = words_of(mode);
    auto const& known = words.shape;
    check_body(content, known, found_, true);
    resource made;
    made.mode = mode;
    made.type = b.labels[0].text;
    made.name = b.labels[1].text;
    made.range = b.header_range();
    made.type_range = b.labels[0].range;
    made.content = without(content, known);
    static_cast<void>(check_name(b.labels[0], words.type));
    static_cast<void>(check_name(b.labels[1], words.name));
    if (auto const* const one = content.find("count")) made.count = one->of;
    if (auto const* const one = content.find("for_each")) {
        made.for_each = one->of;
        if (made.count) found_.add(error(messages::count_and_for_each, one->name_range()));
    }
    bool const lists = mode == resource_mode::list;  // its other arguments are in the schema
    if (auto const* const one = content.find("depends_on"); one && !lists) made.depends_on = decode_depends_on(*one);
    if (auto const* const one = content.find("provider"))
        if (auto const desired = decode_provider_reference(one->of, "provider")) {
            made.provider = desired->name;
            made.provider_key = desired->key;
        }
    block const* seen_lifecycle = nullptr;
    block const* seen_connection = nullptr;
    for (auto const& one : content.blocks) {
        if (lists) break;
        if (one.type == "lifecycle") {
            if (seen_lifecycle) {
                found_.add(
                    error(messages::duplicate_lifecycle, {seen_lifecycle->header_range().text()}, one.header_range()));
                continue;
            }
            seen_lifecycle = &one;
            decode_lifecycle(one, made);
            made.enabled = decode_enabled(one, content);
            check_self_references(made);
        } else if (managed && one.type == "connection") {
            if (seen_connection) {
                found_.add(error(
                    messages::duplicate_connection, {seen_connection->header_range().text()}, one.header_range()));
                continue;
            }
            seen_connection = &one;
            made.connection = one.content;
        } else if (managed && one.type == "provisioner" && one.labels.size() == 1) {
            decode_provisioner(one, made);
        } else if (one.type == "locals") {
            found_.add(error(messages::reserved_block_type, {words.block, one.type}, one.type_range));
        }
    }
    add_escaped(b, made.content);
    check_destroy_connection(made);
    return made;
}

void block_decoder::decode_lifecycle(block const& b, resource& made)
{
    auto const& content = b.content;
    auto& into = made.lifecycle;
    check_body(content, shapes::lifecycle, found_);
    if (made.mode != resource_mode::managed) {
        auto const& noun = words_of(made.mode).noun;
        for (auto const& one : content.attributes)
            if (one.name != "enabled"
                && std::ranges::find(shapes::lifecycle.arguments, one.name, &body_shape::argument::name)
                    != shapes::lifecycle.arguments.end())
                found_.add(error(messages::unsupported_lifecycle_argument, {noun, one.name}, one.name_range()));
    } else {
        if (auto const* const one = content.find("create_before_destroy")) {
            into.create_before_destroy = constant_bool(*one, found_).value_or(false);
            into.create_before_destroy_set = true;
        }
        if (auto const* const one = content.find("prevent_destroy")) decode_prevent_destroy(*one, into);
        if (auto const* const one = content.find("destroy")) into.destroy = constant_bool(*one, found_).value_or(true);
        if (auto const* const one = content.find("ignore_changes")) decode_ignore_changes(*one, made);
        if (auto const* const one = content.find("replace_triggered_by")) decode_triggers(*one, made);
    }
    for (auto const& one : content.blocks) {
        if (one.type == "precondition") into.preconditions.push_back(decode_rule(one, "precondition"));
        if (one.type == "postcondition") into.postconditions.push_back(decode_rule(one, "postcondition"));
        if (one.type != "action_trigger") continue;
        if (made.mode == resource_mode::managed) decode_action_trigger(one, into);
        else found_.add(error(messages::action_trigger_not_managed, {words_of(made.mode).noun}, one.type_range));
    }
}

void block_decoder::decode_prevent_destroy(attribute const& a, lifecycle& into)
{
    bool refers = false;
    for_each_traversal(a.of, [&](syntax::traversal const&) { refers = true; });
    if (!refers) {
        if (constant_bool(a, found_).value_or(false)) into.prevent_destroy = a.of;
        return;
    }
    check_word(
        into_.dialect, origin_program::opentofu, "an expression in prevent_destroy", "1.12", a.of.range(), found_);
    diagnostics ignored;
    for (auto const& refers_to : references_of(a.of, ignored))
        if (refers_to.kind == reference_kind::each || refers_to.kind == reference_kind::count)
            found_.add(error(messages::prevent_destroy_of_instance, refers_to.range));
    into.prevent_destroy = a.of;
}

auto block_decoder::decode_enabled(block const& lifecycle, body const& around) -> expression
{
    auto const* const one = lifecycle.content.find("enabled");
    if (one == nullptr) return {};
    check_word(into_.dialect, origin_program::opentofu, "lifecycle.enabled", "1.11", one->name_range(), found_);
    auto const* const count = around.find("count");
    auto const* const for_each = around.find("for_each");
    if (count == nullptr && for_each == nullptr) return one->of;
    auto all = one->name_range();
    for (auto const* const other : {count, for_each})
        if (other != nullptr) {
            all.bytes.begin = std::min(all.bytes.begin, other->name_range().bytes.begin);
            all.bytes.end = std::max(all.bytes.end, other->name_range().bytes.end);
        }
    auto const* const names = count && for_each ? R"("count", "enabled", and "for_each")"
        : count                                 ? R"("count" and "enabled")"
                                                : R"("enabled" and "for_each")";
    found_.add(error(messages::enabled_and_repetition, {names}, all));
    return one->of;
}

void block_decoder::decode_ignore_changes(attribute const& a, resource& made)
{
    if (as_keyword(unquoted_json(a.of, into_.files, found_)) == "all") {
        made.lifecycle.ignore_all_changes = true;
        return;
    }
    bool wildcard = false;
    for (auto const& written : static_list(a.of, found_)) {
        auto const one = unquoted_reference(written, into_.files, found_);
        if (one.file()->text(one.range().bytes) == "\"*\"") {
            wildcard = true;
            found_.add(error(messages::quoted_ignore_changes_wildcard, written.range()));
            continue;
        }
        if (is_traversal(one)) {
            made.lifecycle.ignore_changes.push_back(one);
            continue;
        }
        found_.add(error(messages::static_reference_required, one.range()));
    }
    if (wildcard && !made.lifecycle.ignore_changes.empty())
        found_.add(error(messages::mixed_ignore_changes, a.of.range()));
}

void block_decoder::decode_triggers(attribute const& a, resource& made)
{
    for (auto const& written : static_list(a.of, found_)) {
        auto const one = unquoted_json(written, into_.files, found_);
        auto const before = found_.error_count();
        std::size_t resources = 0;
        for (auto const& refers : references_of(one, found_)) {
            bool const instance = (refers.kind == reference_kind::each && refers.name == "key")
                || (refers.kind == reference_kind::count && refers.name == "index");
            // Validation reports data sources, because only it knows which ones are declared.
            if (refers.kind == reference_kind::resource || refers.kind == reference_kind::data) ++resources;
            else if (refers.kind == reference_kind::each && !instance)
                found_.add(error(messages::invalid_trigger_key, {"each", "key"}, one.range()));
            else if (refers.kind == reference_kind::count && !instance)
                found_.add(error(messages::invalid_trigger_key, {"count", "index"}, one.range()));
            else if (!instance) found_.add(error(messages::invalid_trigger, one.range()));
        }
        if (resources == 0) found_.add(error(messages::trigger_without_resource, one.range()));
        else if (resources > 1) found_.add(error(messages::trigger_with_several_resources, one.range()));
        // Only the first error is reported.
        if (found_.error_count() > before) return;
        made.lifecycle.replace_triggered_by.push_back(one);
    }
}

void block_decoder::decode_provisioner(block const& b, resource& made)
{
    provisioner one;
    one.type = b.labels[0].text;
    one.range = b.header_range();
    check_body(b.content, shapes::provisioner, found_, true);
    if (one.type == "chef" || one.type == "habitat" || one.type == "puppet" || one.type == "salt-masterless") {
        found_.add(error(messages::discontinued_provisioner, {one.type}, b.type_range));
        return;
    }
    if (auto const* const when = b.content.find("when")) {
        auto const word = keyword_of(*when, found_);
        if (word == "destroy") one.when = provisioner_time::destroy;
        else if (word != "create") found_.add(error(messages::unknown_provisioner_time, when->of.range()));
    }
    if (auto const* const action = b.content.find("on_failure")) {
        auto const word = keyword_of(*action, found_);
        if (word == "continue") one.on_failure = failure_action::keep_going;
        else if (word != "fail") found_.add(error(messages::unknown_failure_action, action->of.range()));
    }
    one.content = without(b.content, shapes::provisioner);
    source_range connection_at;
    for (auto const& inner : b.content.blocks) {
        if (inner.type == "connection") {
            if (!one.connection) {
                one.connection = inner.content;
                connection_at = inner.header_range();
            } else found_.add(error(messages::duplicate_connection, {connection_at.text()}, inner.header_range()));
        } else if (inner.type == "lifecycle") {
            found_.add(error(messages::reserved_block_type, {"provisioner", inner.type}, inner.type_range));
        }
    }
    add_escaped(b, one.content);
    if (one.when == provisioner_time::destroy) {
        check_destroy_references(one.content);
        if (one.connection) check_destroy_references(*one.connection);
    }
    made.provisioners.push_back(std::move(one));
}

void block_decoder::check_destroy_connection(resource const& r)
{
    auto const is_used = [](provisioner const& one) { return one.when == provisioner_time::destroy; };
    if (r.connection && std::ranges::any_of(r.provisioners, is_used)) check_destroy_references(*r.connection);
}

void block_decoder::add_escaped(block const& b, body& to)
{
    block const* first = nullptr;
    for (auto const& one : b.content.blocks) {
        if (one.type != "_") continue;
        if (first) {
            found_.add(
                error(messages::duplicate_escaping_block, {b.type, first->header_range().text()}, one.header_range()));
            continue;
        }
        first = &one;
        for (auto const& inner : one.content.attributes) {
            auto const* const set = to.find(inner.name);
            if (set)
                found_.add(error(
                    messages::escaped_argument_set_twice, {inner.name, set->name_range().text()}, inner.name_range()));
            else to.attributes.push_back(inner);
        }
        to.blocks.insert(to.blocks.end(), one.content.blocks.begin(), one.content.blocks.end());
    }
}

void block_decoder::check_destroy_references(body const& content)
{
    for_each_expression(content, [&](expression const& e, bound_names const& bound) {
        diagnostics ignored;
        for (auto const& refers : references_of(e, ignored, bound)) {
            bool const allowed = refers.kind == reference_kind::self || refers.kind == reference_kind::path
                || refers.kind == reference_kind::terraform
                || (refers.kind == reference_kind::count && refers.name == "index")
                || (refers.kind == reference_kind::each && refers.name == "key");
            if (allowed) continue;
            found_.add(error(messages::destroy_provisioner_refers_to_others, {refers.address()}, e.range()));
        }
    });
}

}  // namespace iacctl::language::detail
