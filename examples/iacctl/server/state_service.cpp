// SPDX-License-Identifier: BSL-1.0
#include "state_service.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "history_text.hpp"
#include "state/backends/lock_info.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace iacctl::server {

using state::document_store;

namespace {

constexpr std::size_t longest_lock = std::size_t{64} << 10U;
constexpr std::string_view states = "/states/";

auto method_not_allowed(std::string_view allowed) -> reply
{
    reply made = error_reply(405, "This resource supports the methods " + std::string(allowed) + ".");
    made.headers["Allow"] = allowed;
    return made;
}

auto broken(infra::failure const& why) -> reply
{
    reply made = error_reply(
        500, "The states of this server cannot be read or written. The log of the server contains the reason.");
    made.failure = why;
    return made;
}

auto changes(std::string_view method) -> bool
{
    return method != "GET";
}

}  // namespace

auto state_service::name_in(std::string_view target) -> std::optional<std::string>
{
    std::string_view const path = request_target(target).path;
    return path.starts_with(states) ? state_name_in(path.substr(states.size())) : std::nullopt;
}

auto state_service::respond(state_request const& request) -> reply
{
    auto const [path, query] = request_target(request.target);
    constexpr std::string_view histories = "/history/";
    bool const is_state = path.starts_with(states);
    if (!is_state && !path.starts_with(histories)) return error_reply(404, "There is nothing at this address.");
    auto const name = state_name_in(path.substr(is_state ? states.size() : histories.size()));
    if (!name)
        return error_reply(400,
            "The name of a state can contain letters, digits and the characters -_.~$&+=:@ and cannot begin with a "
            "dot.");
    if (is_state) return respond_to_state(request, *name, query);
    return request.method == "GET" ? history(*name) : method_not_allowed("GET");
}

auto state_service::respond_to_state(state_request const& request, std::string const& name, std::string_view query)
    -> reply
{
    if (changes(request.method) && request.by.may != role::write)
        return error_reply(403, "This user can read states, but cannot change them.");
    if (request.method == "GET") return get(name, query);
    if (request.method == "POST" || request.method == "PUT") return put(request, name, query);
    if (request.method == "LOCK") return lock(request, name);
    if (request.method == "UNLOCK") return unlock(request, name);
    if (request.method == "DELETE")
        return reply_to(store_->remove(name, query_parameter(query, "ID"), request.by.name));
    return method_not_allowed("GET, POST, PUT, DELETE, LOCK, UNLOCK");
}

auto state_service::get(std::string const& name, std::string_view query) -> reply
{
    std::string const number = query_parameter(query, "revision");
    std::int64_t revision = 0;
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), revision);
    if (!number.empty() && (error != std::errc() || end != number.data() + number.size()))
        return error_reply(400, "The parameter \"revision\" must be the number of a revision.");
    auto found = number.empty() ? store_->get(name) : store_->get(name, revision);
    if (!found) return broken(found.error());
    if (!*found) return error_reply(404, "There is no state at this address.");
    std::string const sum = base64(digest(**found, digest_kind::md5));
    return {200, std::move(**found), std::string(json_type), {{"Content-MD5", sum}}};
}

auto state_service::put(state_request const& request, std::string const& name, std::string_view query) -> reply
{
    if (!request.content_md5.empty() && request.content_md5 != base64(digest(request.body, digest_kind::md5)))
        return error_reply(400, "The body does not have the checksum of the header Content-MD5.");
    auto const header = state::document_header::read(request.body);
    if (!header) return error_reply(400, "The body is not a state: it has no serial or no lineage.");
    return reply_to(store_->put(name, request.body, *header, query_parameter(query, "ID"), request.by.name));
}

auto state_service::lock(state_request const& request, std::string const& name) -> reply
{
    if (request.body.size() > longest_lock)
        return error_reply(413, "The description of a lock must be shorter than 64 KiB.");
    auto const info = backends::lock_info::parse(request.body);
    if (!info) return error_reply(400, "The body is not the description of a lock: it has no ID.");
    return reply_to(store_->lock(name, info->id, request.body, request.by.name));
}

auto state_service::unlock(state_request const& request, std::string const& name) -> reply
{
    // A client that does not hold the lock itself, such as force-unlock, sends no body.
    if (request.body.empty()) return reply_to(store_->unlock(name, {}));
    auto const info = backends::lock_info::parse(request.body);
    if (!info) return error_reply(400, "The body is not the description of a lock: it has no ID.");
    auto const made = store_->unlock(name, info->id);
    if (made && made->of == document_store::verdict::locked) return {409, made->holder->info, std::string(json_type)};
    return reply_to(made);
}

auto state_service::history(std::string const& name) -> reply
{
    auto const revisions = store_->history(name);
    if (!revisions) return broken(revisions.error());
    if (revisions->empty()) return error_reply(404, "There is no state at this address.");
    return {200, history_json(name, *revisions), std::string(json_type)};
}

auto state_service::reply_to(expected<document_store::outcome> const& made) -> reply
{
    if (!made) return broken(made.error());
    using verdict = document_store::verdict;
    switch (made->of) {
    case verdict::done: return {};
    case verdict::locked: return {423, made->holder->info, std::string(json_type)};
    case verdict::lock_lost: return error_reply(409, "The lock with this ID is no longer held.");
    case verdict::other_lineage:
        return error_reply(409,
            "The state has the lineage \"" + made->present->header.lineage
                + "\". To replace it by another state, delete it first.");
    case verdict::older_serial:
    case verdict::same_serial:
        return error_reply(409,
            "The state has the serial " + std::to_string(made->present->header.serial)
                + " and different content. A new state needs a higher serial.");
    }
    return error_reply(500, "");
}

}  // namespace iacctl::server
