// SPDX-License-Identifier: BSL-1.0
#include "event_log.hpp"

#include "base/log.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::workspace {

namespace {

auto log_message_of(infra::event_kind kind) -> std::string_view
{
    switch (kind) {
    case infra::event_kind::refresh_started: return "refresh begins";
    case infra::event_kind::refresh_done: return "refresh is complete";
    case infra::event_kind::import_prepared: return "import begins";
    case infra::event_kind::imported: return "import is complete";
    case infra::event_kind::operation_started: return "operation begins";
    case infra::event_kind::operation_running: return "operation is running";
    case infra::event_kind::operation_done: return "operation is complete";
    case infra::event_kind::operation_failed: return "operation has failed";
    case infra::event_kind::provision_started: return "provisioner begins";
    case infra::event_kind::provision_output: return "provisioner has written a line";
    case infra::event_kind::provision_done: return "provisioner is complete";
    case infra::event_kind::provision_failed: return "provisioner has failed";
    case infra::event_kind::ephemeral_deferred: return "ephemeral resource is deferred";
    case infra::event_kind::ephemeral_opening: return "ephemeral resource is being opened";
    case infra::event_kind::ephemeral_opened: return "ephemeral resource is open";
    case infra::event_kind::ephemeral_closing: return "ephemeral resource is being closed";
    case infra::event_kind::ephemeral_closed: return "ephemeral resource is closed";
    case infra::event_kind::action_started: return "action begins";
    case infra::event_kind::action_progress: return "action has reported progress";
    case infra::event_kind::action_done: return "action is complete";
    case infra::event_kind::action_failed: return "action has failed";
    }
    return "";
}

void log_event(infra::event<language::value> const& e)
{
    using kind = infra::event_kind;
    std::vector<std::pair<std::string, std::string>> fields{{"address", to_string(e.target)}};
    bool const ended = e.kind == kind::operation_done || e.kind == kind::operation_failed;
    if (ended || e.kind == kind::operation_started || e.kind == kind::operation_running)
        fields.emplace_back("operation", to_string(e.operation));
    if (!e.deposed_key.empty()) fields.emplace_back("deposed_key", e.deposed_key);
    if (!e.provisioner.empty()) fields.emplace_back("provisioner", e.provisioner);
    if (ended)
        fields.emplace_back(
            "milliseconds", std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(e.elapsed).count()));
    write_log(log_level::debug, "engine", log_message_of(e.kind), std::move(fields));
}

}  // namespace

auto with_log(infra::observer<language::value> next) -> infra::observer<language::value>
{
    if (!is_logged(log_level::debug)) return next;
    return [next = std::move(next)](infra::event<language::value> const& e) {
        log_event(e);
        if (next) next(e);
    };
}

}  // namespace iacctl::workspace
