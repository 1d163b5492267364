// SPDX-License-Identifier: BSL-1.0
#include "json_stream.hpp"

#include "base/formatted.hpp"
#include "base/json_writer.hpp"
#include "base/trimmed.hpp"
#include "diagnostic_json.hpp"
#include "plan_json.hpp"
#include "plan_text.hpp"
#include "state_text.hpp"

#include <chrono>
#include <optional>
#include <ostream>

namespace iacctl::views {

namespace {

using infra::action;
using infra::event_kind;
using infra::operation_kind;

// The members of an object without braces, for a line with other members before them.
[[nodiscard]] auto members_of(json_object const& object) -> std::string
{
    auto const whole = object.done();
    return whole.substr(1, whole.size() - 2);
}

// The members that identify a resource or an action; their names contain `kind`.
[[nodiscard]] auto address_json(infra::address const& a, std::string const& kind) -> std::string
{
    infra::address const inside({}, a.mode(), a.type(), a.name(), a.key());
    auto const* const index = a.key().index();
    auto const* const name = a.key().name();
    return json_object()
        .text("addr", to_string(a))
        .text("module", to_string(a.module()))
        .text(kind, to_string(inside))
        .text("implied_provider", a.type().substr(0, a.type().find('_')))
        .text(kind + "_type", a.type())
        .text(kind + "_name", a.name())
        .raw(kind + "_key",
            index != nullptr      ? std::to_string(*index)
                : name != nullptr ? json_string(*name)
                                  : std::string("null"))
        .done();
}

[[nodiscard]] auto resource_json(infra::address const& a) -> std::string
{
    return address_json(a, "resource");
}

[[nodiscard]] auto action_json(infra::address const& a) -> std::string
{
    return address_json(a, "action");
}

struct verb_words {
    std::string_view name, start, running, end;
};

[[nodiscard]] auto verb_for(operation_kind kind) noexcept -> verb_words
{
    switch (kind) {
    case operation_kind::create: return {"create", "Creating...", "creating", "Creation"};
    case operation_kind::read: return {"read", "Refreshing...", "refreshing", "Refresh"};
    case operation_kind::update: return {"update", "Modifying...", "modifying", "Modifications"};
    case operation_kind::destroy: return {"delete", "Destroying...", "destroying", "Destruction"};
    case operation_kind::invoke: break;  // actions have messages of their own
    }
    return {};
}

// Terraform's names of planned actions. For outputs, "noop" is one of them.
[[nodiscard]] auto name_of(action a) noexcept -> std::string_view
{
    switch (a) {
    case action::no_op: return "noop";
    case action::create: return "create";
    case action::read: return "read";
    case action::update: return "update";
    case action::destroy: return "delete";
    case action::destroy_then_create:
    case action::create_then_destroy:
    case action::forget_then_create: return "replace";
    case action::forget: return "remove";
    }
    return "";
}

[[nodiscard]] auto reason_of(infra::action_reason reason) noexcept -> std::string_view
{
    switch (reason) {
    case infra::action_reason::replace_because_tainted: return "tainted";
    case infra::action_reason::replace_because_cannot_update: return "cannot_update";
    case infra::action_reason::replace_by_request: return "requested";
    case infra::action_reason::replace_by_triggers: return "replace_triggered_by";
    default: return to_string(reason);
    }
}

[[nodiscard]] auto sums_json(plan_counts const& n, std::string_view operation, std::size_t actions) -> std::string
{
    return members_of(json_object()
            .raw("changes",
                json_object()
                    .raw("add", std::to_string(n.add))
                    .raw("change", std::to_string(n.change))
                    .raw_if("action_invocation", actions == 0 ? std::string() : std::to_string(actions))
                    .raw_if("forget", n.forget == 0 ? std::string() : std::to_string(n.forget))
                    .raw("import", std::to_string(n.import))
                    .raw("remove", std::to_string(n.destroy))
                    .text("operation", operation)
                    .done())
            .text("type", "change_summary"));
}

}  // namespace

void json_stream::line(std::string_view level, std::string_view message, std::string_view members)
{
    std::string const head =
        members_of(json_object().text("@level", level).text("@message", message).text("@module", "terraform.ui"));
    std::lock_guard const lock(mutex_);
    to_ << '{' << head << ",\"@timestamp\":\"" << now_() << "\"," << members << "}\n" << std::flush;
}

void json_stream::version(std::string_view terraform_version)
{
    line("info", "Terraform " + std::string(terraform_version),
        members_of(json_object().text("terraform", terraform_version).text("type", "version").text("ui", "1.2")));
}

void json_stream::event(infra::event<language::value> const& e)
{
    if (e.invoked != nullptr) return action_event(e);
    auto const address = to_string(e.target);
    auto const label = e.object == nullptr ? object_label() : label_of(*e.object);
    auto const suffix = label.key.empty() ? std::string() : formatted(" [{}={}]", label.key, label.text);
    auto const verb = verb_for(e.operation);
    auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(e.elapsed);
    json_object hook;
    hook.raw("resource", resource_json(e.target));
    auto const report = [&](std::string_view type, std::string const& message) {
        line("info", address + ": " + message, members_of(json_object().raw("hook", hook.done()).text("type", type)));
    };
    auto const identify = [&] {
        if (!label.key.empty()) hook.text("id_key", label.key).text("id_value", label.text);
    };
    auto const finish = [&](std::string_view type, std::string_view view) {
        hook.text("action", verb.name);
        bool const is_there = e.operation != operation_kind::destroy;
        if (is_there) identify();
        hook.raw("elapsed_seconds", std::to_string(seconds.count()));
        report(type, formatted("{} {} after {}{}", verb.end, view, duration_text(seconds), is_there ? suffix : ""));
    };
    switch (e.kind) {
    case event_kind::refresh_started: identify(); return report("refresh_start", "Refreshing state..." + suffix);
    case event_kind::refresh_done: identify(); return report("refresh_complete", "Refresh complete" + suffix);
    case event_kind::operation_started:
        hook.text("action", verb.name);
        identify();
        return report("apply_start", std::string(verb.start) + suffix);
    case event_kind::operation_running:
        hook.text("action", verb.name).raw("elapsed_seconds", std::to_string(seconds.count()));
        return report("apply_progress", formatted("Still {}... [{} elapsed]", verb.running, duration_text(seconds)));
    case event_kind::operation_done: return finish("apply_complete", "complete");
    case event_kind::operation_failed: return finish("apply_errored", "errored");
    case event_kind::provision_started:
        hook.text("provisioner", e.provisioner);
        return report("provision_start", "Provisioning with '" + e.provisioner + "'...");
    case event_kind::provision_output:
        hook.text("provisioner", e.provisioner).text("output", e.text);
        return report("provision_progress", "(" + e.provisioner + "): " + e.text);
    case event_kind::provision_done:
        hook.text("provisioner", e.provisioner);
        return report("provision_complete", "(" + e.provisioner + ") Provisioning complete");
    case event_kind::provision_failed:
        hook.text("provisioner", e.provisioner);
        return report("provision_errored", "(" + e.provisioner + ") Provisioning errored");
    case event_kind::ephemeral_deferred: return;
    case event_kind::ephemeral_opening: hook.text("action", "open"); return report("ephemeral_op_start", "Opening...");
    case event_kind::ephemeral_closing: hook.text("action", "close"); return report("ephemeral_op_start", "Closing...");
    case event_kind::ephemeral_opened:
    case event_kind::ephemeral_closed: {
        bool const opens = e.kind == event_kind::ephemeral_opened;
        hook.text("action", opens ? "open" : "close").raw("elapsed_seconds", std::to_string(seconds.count()));
        return report("ephemeral_op_complete",
            formatted("{} complete after {}", opens ? "Opening" : "Closing", duration_text(seconds)));
    }
    case event_kind::action_started:
    case event_kind::action_progress:
    case event_kind::action_done:
    case event_kind::action_failed:
    case event_kind::import_prepared:
    case event_kind::imported: return;
    }
}

void json_stream::action_event(infra::event<language::value> const& e)
{
    auto const& one = *e.invoked;
    std::string const address = to_string(e.target);
    bool const triggered = one.event != infra::trigger_event::invoke;
    json_object hook;
    hook.raw("action", action_json(e.target));
    std::string_view type = "action_complete";
    std::string message = "Action complete: " + address;
    switch (e.kind) {
    case event_kind::action_started:
        type = "action_start";
        message = "Action started: " + address;
        break;
    case event_kind::action_progress:
        type = "action_progress";
        message = address + " - " + e.text;
        hook.text("message", e.text);
        break;
    case event_kind::action_failed:
        type = "action_errored";
        message = "Action errored: " + address + " - " + e.text;
        hook.text("error", e.text);
        break;
    default: break;
    }
    if (triggered)
        hook.raw("lifecycle",
            json_object()
                .raw("resource", resource_json(one.caller))
                .raw("trigger_index", std::to_string(one.trigger))
                .raw("actions_index", std::to_string(one.position))
                .text("trigger_event", event_word(one.event))
                .text("on_failure", failure_word(one.on_failure))
                .done());
    else hook.raw("invoke", "{}");
    std::string const place = !triggered       ? std::string()
        : e.kind == event_kind::action_started ? formatted("{}.trigger[{}]: ", to_string(one.caller), one.trigger)
                                               : formatted("{} ({}): ", to_string(one.caller), one.trigger);
    line("info", place + message, members_of(json_object().raw("hook", hook.done()).text("type", type)));
}

void json_stream::invocation(action_view const& view)
{
    json_object planned;
    planned.raw("action_addr", action_json(view.address));
    std::string message = to_string(view.address);
    if (view.event != infra::trigger_event::invoke) {
        message += formatted(": triggered by {} trigger on {}", event_word(view.event), to_string(view.caller));
        planned.raw("lifecycle_trigger",
            json_object()
                .raw("triggering_resource", resource_json(view.caller))
                .text("triggering_event", event_word(view.event))
                .raw("action_trigger_block_index", std::to_string(view.trigger))
                .raw("actions_list_index", std::to_string(view.position))
                .text("on_failure", failure_word(view.on_failure))
                .done());
    } else planned.raw("action_trigger", "{}");
    line("info", message,
        members_of(json_object().raw("invocation", planned.done()).text("type", "planned_action_invocation")));
}

void json_stream::change(change_view const& view, bool drifted)
{
    bool const idle = view.action == action::no_op;
    std::string_view const name = idle && view.moved() ? "move"
        : idle && view.importing_id                    ? "import"
                                                       : name_of(view.action);
    json_object planned;
    planned.raw("resource", resource_json(view.address));
    if (view.moved()) planned.raw("previous_resource", resource_json(*view.previous_address));
    planned.text("action", name).text_if("reason", reason_of(view.reason));
    if (view.importing_id) planned.raw("importing", importing_json(view));
    auto const address = to_string(view.address);
    line("info",
        drifted ? formatted("{}: Drift detected ({})", address, name) : formatted("{}: Plan to {}", address, name),
        members_of(
            json_object().raw("change", planned.done()).text("type", drifted ? "resource_drift" : "planned_change")));
}

void json_stream::plan(plan_view const& view)
{
    for (change_view const& one : view.drift)
        if (one.action != action::no_op || view.mode == infra::plan_mode::refresh_only) change(one, true);
    for (change_view const& one : view.changes)
        if (is_shown(one)) change(one, false);
    for (action_view const& one : view.actions) invocation(one);
    line("info", "Plan: " + counts_text(view), sums_json(counts_of(view), "plan", view.actions.size()));
    if (view.output_changes.empty()) return;
    json_object all;
    for (output_change_view const& one : view.output_changes)
        all.raw(one.name, json_object().flag("sensitive", one.sensitive).text("action", name_of(one.action)).done());
    line("info", formatted("Outputs: {}", view.output_changes.size()),
        members_of(json_object().raw("outputs", all.done()).text("type", "outputs")));
}

void json_stream::planned_changes(plan_view const& plan)
{
    for (change_view const& one : plan.changes)
        if (is_shown(one) && one.action != action::no_op) change(one, false);
}

void json_stream::diagnostic(infra::diagnostic const& problem)
{
    diagnostic(problem, {});
}

void json_stream::diagnostic(infra::diagnostic const& problem, test_place in)
{
    bool const error = problem.level == infra::severity::error;
    line(error ? "error" : "warn", (error ? "Error: " : "Warning: ") + problem.summary,
        members_of(json_object()
                .text_if("@testfile", in.file)
                .text_if("@testrun", in.run)
                .raw("diagnostic", diagnostic_json(problem))
                .text("type", "diagnostic")));
}

void json_stream::step(std::string_view text, std::string_view code)
{
    json_object members;
    if (!code.empty()) members.text("message_code", code);
    line("info", trimmed(text), members_of(members.text("type", code.empty() ? "log" : "init_output")));
}

void json_stream::message(std::string_view type, std::string_view text, std::string_view content)
{
    line("info", text, members_of(json_object().raw(type, content).text("type", type)));
}

void json_stream::test(
    std::string_view type, std::string_view message, std::string_view content, test_place place, bool error)
{
    line(error ? "error" : "info", message,
        members_of(json_object()
                .text_if("@testfile", place.file)
                .text_if("@testrun", place.run)
                .raw(type, content)
                .text("type", type)));
}

void json_stream::applied(apply_counts const& counts, bool destroyed)
{
    plan_counts const n{counts.added, counts.changed, counts.destroyed, counts.forgotten, counts.imported};
    line("info", destroyed ? destroyed_text(counts) : applied_text(counts),
        sums_json(n, destroyed ? "destroy" : "apply", counts.invoked));
}

void json_stream::outputs(std::vector<output_view> const& all)
{
    json_object each;
    for (output_view const& one : all) {
        json_object out;
        out.flag("sensitive", one.sensitive).raw("type", language::type_to_json(one.of.get_type()));
        if (!one.sensitive) out.raw("value", language::to_json(one.of));
        each.raw(one.name, out.done());
    }
    line("info", formatted("Outputs: {}", all.size()),
        members_of(json_object().raw("outputs", each.done()).text("type", "outputs")));
}

}  // namespace iacctl::views
