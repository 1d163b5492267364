// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_STATE_SERVICE_HPP
#define IACCTL_SERVER_STATE_SERVICE_HPP

#include "base/expected.hpp"
#include "request.hpp"
#include "state/record/document_store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::server {

/// The resources of the server and their methods.
///
///   /states/NAME    GET, POST (or PUT), DELETE, LOCK, UNLOCK as sent by the backend "http"; GET with ?revision=NUMBER
///   /history/NAME   GET: the stored revisions, as JSON
///
/// A reply with a status below 300 is sent after the change is durable. The history contains no content of states.
/// \source Terraform's backend "http"; RFC 4918 for 423
class state_service {
public:
    explicit state_service(std::shared_ptr<state::document_store> store) : store_(std::move(store)) {}

    /// The name of the state in the target of a request; nothing if it is not about a state.
    [[nodiscard]] static auto name_in(std::string_view target) -> std::optional<std::string>;

    /// Blocks. Calls must be sequential.
    [[nodiscard]] auto respond(state_request const& request) -> reply;

private:
    [[nodiscard]] auto respond_to_state(state_request const& request, std::string const& name, std::string_view query)
        -> reply;
    [[nodiscard]] auto get(std::string const& name, std::string_view query) -> reply;
    [[nodiscard]] auto put(state_request const& request, std::string const& name, std::string_view query) -> reply;
    [[nodiscard]] auto lock(state_request const& request, std::string const& name) -> reply;
    [[nodiscard]] auto unlock(state_request const& request, std::string const& name) -> reply;
    [[nodiscard]] auto history(std::string const& name) -> reply;
    [[nodiscard]] auto reply_to(expected<state::document_store::outcome> const& made) -> reply;

    std::shared_ptr<state::document_store> store_;
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_STATE_SERVICE_HPP
