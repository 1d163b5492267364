// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_STATE_SERVICE_HPP
#define IACCTL_SERVER_STATE_SERVICE_HPP

#include "state/document_store.hpp"
#include "users.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::server {

struct state_request {
    std::string method;
    std::string target;
    std::string content_md5;  ///< the header; empty: there is none
    std::string body;
    caller by;
};

struct reply {
    unsigned status = 200;
    std::string body;
    std::string content_type = "text/plain; charset=utf-8";
    std::map<std::string, std::string> headers = {};
    std::optional<infra::failure> failure = {};  ///< why the status is 500; clients do not see it
};

/// Text for a client, as the reason of an error.
[[nodiscard]] auto error_reply(unsigned status, std::string_view text) -> reply;

/// The resources of the server, and what each method does to them.
///
///   /states/NAME    GET, POST (or PUT), DELETE, LOCK, UNLOCK as the backend "http" sends them; GET with ?revision=NUMBER
///   /history/NAME   GET: the revisions that are kept, as JSON
///   /               GET: all workspaces with their history, as a page
///
/// A reply with a status below 300 is given when the change is durable. The page and the history have nothing of what
/// states contain.
/// \source Terraform's backend "http"; RFC 4918 for 423
class state_service {
public:
    explicit state_service(state::document_store store) : store_(std::move(store)) {}

    /// Blocks; one call at a time.
    [[nodiscard]] auto respond(state_request const& request) -> reply;

private:
    [[nodiscard]] auto respond_to_state(state_request const& request, std::string const& name, std::string_view query)
        -> reply;
    [[nodiscard]] auto get(std::string const& name, std::string_view query) -> reply;
    [[nodiscard]] auto put(state_request const& request, std::string const& name, std::string_view query) -> reply;
    [[nodiscard]] auto lock(state_request const& request, std::string const& name) -> reply;
    [[nodiscard]] auto unlock(state_request const& request, std::string const& name) -> reply;
    [[nodiscard]] auto history(std::string const& name) -> reply;
    [[nodiscard]] auto page() -> reply;
    [[nodiscard]] auto reply_to(expected<state::document_store::outcome> const& made) -> reply;

    state::document_store store_;
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_STATE_SERVICE_HPP
