// SPDX-License-Identifier: BSL-1.0
#include "plan_json.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "diagnostic_json.hpp"
#include "value_json.hpp"

#include "base/provider_address.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace iacctl::views {

namespace {

using infra::action;
using infra::module_step;
using language::value;

[[nodiscard]] auto actions_json(action a) noexcept -> std::string_view
{
    switch (a) {
    case action::no_op: return R"(["no-op"])";
    case action::create: return R"(["create"])";
    case action::read: return R"(["read"])";
    case action::update: return R"(["update"])";
    case action::destroy: return R"(["delete"])";
    case action::destroy_then_create: return R"(["delete","create"])";
    case action::create_then_destroy: return R"(["create","delete"])";
    case action::forget: return R"(["forget"])";
    case action::forget_then_create: return R"(["forget","create"])";
    }
    return "[]";
}

[[nodiscard]] auto key_json(infra::instance_key const& key) -> std::string
{
    if (auto const* index = key.index()) return std::to_string(*index);
    auto const* name = key.name();
    return name == nullptr ? std::string() : json_string(*name);
}

[[nodiscard]] auto path_json(value_path const& path) -> std::string
{
    json_array out;
    for (auto const& step : path) {
        if (auto const* name = std::get_if<std::string>(&step)) out.text(*name);
        else out.raw(std::to_string(std::get<std::int64_t>(step)));
    }
    return out.done();
}

auto append_address(json_object& out, infra::address const& a) -> json_object&
{
    return out.text("mode", a.mode() == infra::resource_mode::data ? "data" : "managed")
        .text("type", a.type())
        .text("name", a.name())
        .raw_if("index", key_json(a.key()))
        .raw_if("index_unknown", a.key().is_unknown() ? "true" : "");
}

}  // namespace

auto importing_json(change_view const& change) -> std::string
{
    json_object out;
    if (change.importing_identity.empty()) out.text("id", *change.importing_id);
    else out.raw("identity", change.importing_identity);
    return out.done();
}

namespace {

[[nodiscard]] auto change_json(change_view const& change) -> std::string
{
    auto const before = with_schema_marks(change.before, change.schema);
    auto const after = with_schema_marks(change.after, change.schema);
    json_object inner;
    inner.raw("actions", actions_json(change.action))
        .raw("before", known_json(before))
        .raw_if("after", known_json(after))
        .raw("after_unknown", after.wholly_known() ? "{}" : unknown_json(after))
        .raw("before_sensitive", sensitive_json(before))
        .raw("after_sensitive", sensitive_json(after));
    if (!change.replace_paths.empty()) {
        json_array paths;
        for (auto const& path : change.replace_paths) paths.raw(path_json(path));
        inner.raw("replace_paths", paths.done());
    }
    if (change.importing_id) inner.raw("importing", importing_json(change));
    inner.raw_if("before_identity", change.identity_before).raw_if("after_identity", change.identity_after);
    inner.text_if("generated_config", change.generated_config);

    json_object out;
    out.text("address", to_string(change.address));
    if (change.moved()) out.text("previous_address", to_string(*change.previous_address));
    out.text_if("module_address", to_string(change.address.module()));
    return append_address(out, change.address)
        .text("provider_name", provider_address_in(change.provider_name))
        .text_if("deposed", change.deposed_key)
        .raw("change", inner.done())
        .text_if("action_reason", to_string(change.reason))
        .done();
}

[[nodiscard]] auto changes_json(std::vector<change_view> const& changes) -> std::string
{
    std::vector<change_view const*> order;
    for (auto const& change : changes) order.push_back(&change);
    sort_as_shown(order);
    json_array out;
    for (auto const* change : order) out.raw(change_json(*change));
    return out.done();
}

[[nodiscard]] auto deferred_json(std::vector<deferred_view> const& views) -> std::string
{
    json_array out;
    for (deferred_view const& one : views)
        out.raw(
            json_object().text("reason", to_string(one.reason)).raw("resource_change", change_json(one.change)).done());
    return out.done();
}

[[nodiscard]] auto invocations_json(std::vector<action_view> const& views) -> std::string
{
    json_array all;
    for (action_view const& one : views) {
        auto const config = with_schema_marks(one.config, one.schema);
        json_object out;
        out.text("address", to_string(one.address)).text("type", one.address.type()).text("name", one.address.name());
        out.raw_if("config_values", known_json(config))
            .raw("config_sensitive", sensitive_json(config))
            .raw("config_unknown", config.wholly_known() ? "{}" : unknown_json(config))
            .text("provider_name", provider_address_in(one.provider_name));
        if (one.event == infra::trigger_event::invoke) {
            json_object trigger;
            if (!one.caller.type().empty()) trigger.text("calling_resource_address", to_string(one.caller));
            out.raw("invoke_action_trigger", trigger.done());
        } else
            out.raw("lifecycle_action_trigger",
                json_object()
                    .text("triggering_resource_address", to_string(one.caller))
                    .text("action_trigger_event", event_word(one.event))
                    .raw("action_trigger_block_index", std::to_string(one.trigger))
                    .raw("actions_list_index", std::to_string(one.position))
                    .text("on_failure", failure_word(one.on_failure))
                    .done());
        all.raw(out.done());
    }
    return all.done();
}

template <class Named>
[[nodiscard]] auto by_name(std::vector<Named> all) -> std::vector<Named>
{
    std::ranges::sort(all, {}, &Named::name);
    return all;
}

[[nodiscard]] auto output_changes_json(std::vector<output_change_view> const& views) -> std::string
{
    json_object out;
    for (auto const& change : by_name(views)) {
        auto const sensitive = change.sensitive ? "true" : "false";
        out.raw(change.name,
            json_object()
                .raw("actions", actions_json(change.action))
                .raw("before", known_json(change.before))
                .raw_if("after", known_json(change.after))
                .raw("after_unknown", change.after.wholly_known() ? "false" : unknown_json(change.after))
                .raw("before_sensitive", sensitive)
                .raw("after_sensitive", sensitive)
                .done());
    }
    return out.done();
}

// Resources in the tree of modules that `show` prints.
struct module_tree {
    std::vector<std::string> resources;
    std::vector<module_step> path;
    std::map<std::string, module_tree> children;  // by text, as Terraform does: [10] before [2]

    [[nodiscard]] auto at(std::vector<module_step> const& steps) -> module_tree&
    {
        auto* found = this;
        for (auto const& step : steps) {
            auto& child = found->children[step.name + to_string(step.key)];
            if (child.path.empty()) {
                child.path = found->path;
                child.path.push_back(step);
            }
            found = &child;
        }
        return *found;
    }
    [[nodiscard]] auto json() const -> std::string
    {
        json_object out;
        if (!resources.empty()) out.raw("resources", array(resources));
        out.text_if("address", to_string(path));
        std::vector<std::string> inner;
        for (auto const& [step, child] : children) inner.push_back(child.json());
        if (!inner.empty()) out.raw("child_modules", array(inner));
        return out.done();
    }
    [[nodiscard]] static auto array(std::vector<std::string> const& texts) -> std::string
    {
        json_array out;
        for (auto const& json : texts) out.raw(json);
        return out.done();
    }
};

[[nodiscard]] auto resource_json(infra::address const& address, std::string const& provider, std::uint64_t version,
    value const& attributes) -> json_object
{
    json_object out;
    out.text("address", to_string(address));
    append_address(out, address)
        .text("provider_name", provider_address_in(provider))
        .raw("schema_version", std::to_string(version));
    if (auto values = known_json(attributes); values != "{}") out.raw("values", values);
    out.raw("sensitive_values", sensitive_json(attributes));
    return out;
}

// Terraform writes the type of an output before its value in a plan, and after it in state.
enum class type_place : std::uint8_t { before_value, after_value };

[[nodiscard]] auto output_values_json(std::vector<output_view> const& outputs, type_place place) -> std::string
{
    json_object out;
    for (auto const& output : by_name(outputs)) {
        json_object one;
        one.flag("sensitive", output.sensitive);
        auto const json = output.of.wholly_known() ? known_json(output.of) : std::string();
        // Terraform's plans do not store the type of a null value.
        auto const of_value = output.of.is_null() ? language::type::dynamic() : output.of.get_type();
        auto const type = json.empty() ? std::string() : type_to_json(of_value);
        if (place == type_place::before_value) one.raw_if("type", type).raw_if("value", json);
        else one.raw_if("value", json).raw_if("type", type);
        out.raw(output.name, one.done());
    }
    return out.done();
}

[[nodiscard]] auto values_json(module_tree const& root, std::vector<output_view> const& outputs, type_place place)
    -> std::string
{
    json_object out;
    if (!outputs.empty()) out.raw("outputs", output_values_json(outputs, place));
    return out.raw("root_module", root.json()).done();
}

[[nodiscard]] auto planned_values_json(plan_view const& plan) -> std::string
{
    std::vector<change_view const*> order;
    for (auto const& change : plan.changes)
        if (change.deposed_key.empty() && !change.after.is_null() && change.action != action::forget)
            order.push_back(&change);
    std::ranges::sort(order, [](auto const* a, auto const* b) { return shown_before(a->address, b->address); });
    module_tree root;
    for (auto const* change : order) {
        auto const version = change->schema == nullptr ? 0 : change->schema->version;
        auto const attributes = with_schema_marks(change->after, change->schema);
        root.at(change->address.module())
            .resources.push_back(resource_json(change->address, change->provider_name, version, attributes).done());
    }
    std::vector<output_view> outputs;
    for (auto const& change : plan.output_changes)
        if (change.action != action::destroy) outputs.push_back({change.name, change.after, change.sensitive});
    return values_json(root, outputs, type_place::before_value);
}

[[nodiscard]] auto variables_json(std::vector<variable_view> const& views) -> std::string
{
    json_object out;
    for (auto const& variable : by_name(views))
        out.raw(variable.name, json_object().raw_if("value", known_json(variable.of)).done());
    return out.done();
}

[[nodiscard]] auto relevant_json(std::vector<relevant_attribute> const& attributes) -> std::string
{
    json_array out;
    for (auto const& [resource, path] : attributes)
        out.raw(json_object().text("resource", resource).raw("attribute", path_json(path)).done());
    return out.done();
}

// The part of an address before the last two names: `module.m["k"]` of `module.m["k"].check.c`. It may be empty.
[[nodiscard]] auto module_before(std::string const& address, std::string const& last) -> std::string
{
    return address.size() == last.size() ? std::string() : address.substr(0, address.size() - last.size() - 1);
}

// A declaration with rules: a resource, or a check, variable or output, whose address has a last part of its own.
struct checked_declaration {
    std::string kind;
    std::string name;
    std::optional<infra::address> resource{};
    std::string last{};

    explicit checked_declaration(json const& result)
        : kind(result.text_of("object_kind")),
          name(result.text_of("config_addr"))
    {
        if (auto const parsed = infra::parse_address(name); kind == "resource" && parsed) resource = *parsed;
        else last = kind + name.substr(name.rfind('.'));
    }
};

[[nodiscard]] auto address_json(checked_declaration const& checked) -> std::string
{
    json_object out;
    out.text("kind", checked.kind == "output" ? "output_value" : checked.kind);
    if (checked.resource) {
        auto const& resource = *checked.resource;
        out.text("mode", resource.mode() == infra::resource_mode::data ? "data" : "managed")
            .text_if("module", to_string(resource.module()))
            .text("name", resource.name());
    } else {
        out.text_if("module", module_before(checked.name, checked.last))
            .text("name", checked.last.substr(checked.kind.size() + 1));
    }
    out.text("to_display", checked.name);
    if (checked.resource) out.text("type", checked.resource->type());
    return out.done();
}

[[nodiscard]] auto object_address_json(checked_declaration const& checked, std::string const& text) -> std::string
{
    json_object out;
    if (checked.resource) {
        auto const parsed = infra::parse_address(text);
        infra::address const instance = parsed ? *parsed : infra::address();
        out.raw_if("instance_key", key_json(instance.key())).text_if("module", to_string(instance.module()));
    } else {
        out.text_if("module", module_before(text, checked.last));
    }
    return out.text("to_display", text).done();
}

// The elements of a list in a member; none if the member is missing or null.
[[nodiscard]] auto elements_in(json const& object, std::string_view member) -> std::span<json const>
{
    json const* const found = object.find(member);
    return found == nullptr || found->elements() == nullptr ? std::span<json const>() : *found->elements();
}

[[nodiscard]] auto checked_object_json(checked_declaration const& checked, json const& object) -> std::string
{
    json_object out;
    out.raw("address", object_address_json(checked, object.text_of("object_addr")))
        .text("status", object.text_of("status"));
    json_array problems;
    for (json const& message : elements_in(object, "failure_messages"))
        problems.raw(json_object().raw("message", compact_text(message)).done());
    return out.raw_if("problems", problems.empty() ? "" : problems.done()).done();
}

// The results of checks in a state file, in the format of `show`: members of an address are sorted by name.
[[nodiscard]] auto checks_json(std::string const& results) -> std::string
{
    std::map<std::string, std::string> shown;
    auto const document = parse_json(results);
    if (!document || document->elements() == nullptr) return "[]";
    for (json const& config : *document->elements()) {
        checked_declaration const checked(config);
        json_array instances;
        for (json const& object : elements_in(config, "objects")) instances.raw(checked_object_json(checked, object));
        shown[checked.name] = json_object()
                                  .raw("address", address_json(checked))
                                  .text("status", config.text_of("status"))
                                  .raw_if("instances", instances.empty() ? "" : instances.done())
                                  .done();
    }
    json_array all;
    for (auto const& [_, one] : shown) all.raw(one);
    return all.done();
}

}  // namespace

auto event_word(infra::trigger_event event) noexcept -> std::string_view
{
    switch (event) {
    case infra::trigger_event::before_create: return "BeforeCreate";
    case infra::trigger_event::after_create: return "AfterCreate";
    case infra::trigger_event::before_update: return "BeforeUpdate";
    case infra::trigger_event::after_update: return "AfterUpdate";
    case infra::trigger_event::before_destroy: return "BeforeDestroy";
    case infra::trigger_event::after_destroy: return "AfterDestroy";
    case infra::trigger_event::invoke: break;
    }
    return "Invoke";
}

auto failure_word(infra::failure_effect effect) noexcept -> std::string_view
{
    switch (effect) {
    case infra::failure_effect::halt: return "ActionOnFailureHalt";
    case infra::failure_effect::taint: return "ActionOnFailureTaint";
    case infra::failure_effect::warn: break;
    }
    return "ActionOnFailureContinue";
}

namespace {

[[nodiscard]] auto object_json(resource_view const& resource) -> std::string
{
    auto out = resource_json(resource.address, resource.provider_name, resource.schema_version,
        with_schema_marks(resource.attributes, resource.schema));
    if (!resource.depends_on.empty()) {
        json_array depends_on;
        for (auto const& dependency : resource.depends_on.names()) depends_on.text(dependency);
        out.raw("depends_on", depends_on.done());
    }
    if (resource.tainted) out.flag("tainted", true);
    out.text_if("deposed_key", resource.deposed_key);
    if (!resource.identity.empty())
        out.raw("identity_schema_version", std::to_string(resource.identity_version))
            .raw("identity", resource.identity);
    return out.done();
}

}  // namespace

namespace {

[[nodiscard]] auto shown_instance_json(std::string const& object, std::string const& diagnostics) -> std::string
{
    return indented_json(
        json_object().text("format_version", "1.0").raw("resource", object).raw("diagnostics", diagnostics).done());
}

}  // namespace

auto instance_json(resource_view const& resource) -> std::string
{
    return shown_instance_json(object_json(resource), "[]");
}

auto instance_json(infra::diagnostics const& problems) -> std::string
{
    json_array all;
    for (auto const& one : problems) all.raw(diagnostic_json(one));
    return shown_instance_json(json_object().text("provider_name", "").raw("schema_version", "0").done(), all.done());
}

auto state_json(state_view const& state) -> std::string
{
    json_object out;
    out.text("format_version", "1.0");
    if (state.empty()) return out.done();
    std::vector<resource_view const*> order;
    for (auto const& resource : state.resources) order.push_back(&resource);
    sort_as_shown(order);
    module_tree root;
    for (auto const* resource : order) {
        root.at(resource->address.module()).resources.push_back(object_json(*resource));
    }
    out.text("terraform_version", state.terraform_version)
        .raw("values", values_json(root, state.outputs, type_place::after_value));
    if (!state.checks.empty()) out.raw("checks", checks_json(state.checks));
    return out.done();
}

auto plan_json(plan_view const& plan) -> std::string
{
    json_object out;
    out.text("format_version", "1.2").text("terraform_version", plan.terraform_version);
    if (!plan.variables.empty()) out.raw("variables", variables_json(plan.variables));
    out.raw("planned_values", planned_values_json(plan));
    if (!plan.drift.empty()) out.raw("resource_drift", changes_json(plan.drift));
    if (!plan.changes.empty()) out.raw("resource_changes", changes_json(plan.changes));
    if (!plan.deferred.empty()) out.raw("deferred_changes", deferred_json(plan.deferred));
    if (!plan.output_changes.empty()) out.raw("output_changes", output_changes_json(plan.output_changes));
    if (!plan.actions.empty()) out.raw("action_invocations", invocations_json(plan.actions));
    if (!plan.prior_state.empty()) out.raw("prior_state", state_json(plan.prior_state));
    out.raw_if("configuration", plan.configuration);
    if (!plan.relevant.empty()) out.raw("relevant_attributes", relevant_json(plan.relevant));
    if (!plan.checks.empty()) out.raw("checks", checks_json(plan.checks));
    return out.text_if("timestamp", plan.timestamp)
        .flag("applyable", plan.applyable)
        .flag("complete", plan.complete)
        .flag("errored", plan.errored)
        .done();
}

auto outputs_json(std::vector<output_view> outputs) -> std::string
{
    json_object out;
    for (auto const& output : by_name(std::move(outputs)))
        out.raw(output.name,
            json_object()
                .flag("sensitive", output.sensitive)
                .raw("type", type_to_json(output.of.get_type()))
                .raw("value", language::to_json(output.of))
                .done());
    return indented_json(out.done());
}

auto output_json(output_view const& output) -> std::string
{
    return language::to_json(output.of);
}

}  // namespace iacctl::views
