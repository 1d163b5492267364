// SPDX-License-Identifier: BSL-1.0
#include "http_state.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "redirection.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace iacctl::backends {

using state::make_failure;

namespace {

// The address without user and password.
auto shown(std::string const& address) -> std::string
{
    auto const parsed = http::url::parse(address);
    return parsed ? parsed->text() : address;
}

// The reason for a refusal by the server, for a message: the holder of the lock, or one line of plain text.
auto reason_of(http::response const& from) -> std::string
{
    constexpr std::size_t longest = 300;
    if (auto const holder = lock_info::parse(from.body)) return holder->description();
    auto const type = from.headers.find("Content-Type");
    bool const is_text = type != from.headers.end() && type->second.starts_with("text/plain");
    std::string const line = from.body.substr(0, from.body.find('\n'));
    bool const is_shown = is_text && !line.empty() && line.size() <= longest
        && std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
    return "  " + (is_shown ? line : "status " + std::to_string(from.status));
}

class http_state final : public state_client {
public:
    explicit http_state(http_settings settings) : with_(std::move(settings)) {}

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "http"; }
    [[nodiscard]] auto place_of(std::string const&) const -> std::string override { return shown(with_.address); }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        return make_failure(messages::backend_without_workspaces, {"http"});
    }

    [[nodiscard]] auto get(std::string const& workspace) -> expected<std::optional<std::string>> override
    {
        if (workspace != state::default_workspace) return make_failure(messages::backend_without_workspaces, {"http"});
        auto got = send("GET", with_.address);
        if (!got) return unreachable(got);
        switch (got.status) {
        case 200: break;
        case 204:
        case 404: return std::optional<std::string>();
        default: return refused("GET", got);
        }
        auto const sum = got.headers.find("Content-Md5");
        if (sum != got.headers.end() && sum->second != base64(digest(got.body, digest_kind::md5)))
            return make_failure(messages::remote_state_garbled, {shown(with_.address)});
        if (got.body.empty()) return std::optional<std::string>();
        return std::optional(std::move(got.body));
    }

    [[nodiscard]] auto put(std::string const&, std::string const& text, std::string const& lock_id)
        -> expected<void> override
    {
        std::string address = with_.address;
        if (!lock_id.empty()) address += (address.find('?') == std::string::npos ? "?ID=" : "&ID=") + lock_id;
        auto const got = send(with_.update_method, address, text);
        if (!got) return unreachable(got);
        if (got.status == 200 || got.status == 201 || got.status == 204) return {};
        if (got.status == 409 || got.status == 423)
            return make_failure(messages::remote_state_conflict, {shown(with_.address), reason_of(got)});
        return refused(with_.update_method, got);
    }
    [[nodiscard]] auto erase(std::string const&) -> expected<void> override
    {
        auto const got = send("DELETE", with_.address);
        if (!got) return unreachable(got);
        if (got.status == 200 || got.status == 204 || got.status == 404) return {};
        return refused("DELETE", got);
    }

    [[nodiscard]] auto can_lock() const noexcept -> bool override { return !with_.lock_address.empty(); }
    [[nodiscard]] auto lock(std::string const&, lock_info const& as) -> expected<lock_attempt> override
    {
        auto const got = send(with_.lock_method, with_.lock_address, as.text());
        if (!got) return unreachable(got);
        switch (got.status) {
        case 200: return lock_attempt{true, std::nullopt};
        case 409:
        case 423: {
            auto holder = lock_info::parse(got.body);
            // The reply to an earlier attempt may have been lost: then the lock is that of this process.
            bool const own = holder && holder->id == as.id;
            return lock_attempt{own, own ? std::nullopt : std::move(holder)};
        }
        default: return refused(with_.lock_method, got);
        }
    }
    [[nodiscard]] auto unlock(std::string const&, lock_info const& info) -> expected<void> override
    {
        if (with_.unlock_address.empty()) return {};
        auto const got = send(with_.unlock_method, with_.unlock_address, info.text());
        if (!got) return unreachable(got);
        if (got.status == 200 || got.status == 204) return {};
        auto const holder = got.status == 409 || got.status == 423 ? lock_info::parse(got.body) : std::nullopt;
        if (holder && holder->id != info.id)
            return make_failure(messages::lock_id_differs, {shown(with_.address), holder->description(), info.id});
        return refused(with_.unlock_method, got);
    }
    // The protocol has no request for the holder of the lock.
    [[nodiscard]] auto holder(std::string const&) -> std::optional<lock_info> override { return std::nullopt; }

private:
    // Retries are safe: a server compares serials and lock ids.
    [[nodiscard]] auto send(std::string method, std::string const& address, std::optional<std::string> body = {})
        -> http::response
    {
        http::request r;
        r.method = std::move(method);
        r.url = address;
        r.follows = r.method == "GET" ? http::redirections::secure : http::redirections::same_origin;
        if (body) {
            r.headers["Content-Type"] = "application/json";
            r.headers["Content-MD5"] = base64(digest(*body, digest_kind::md5));
        }
        r.body = std::move(body);
        if (!with_.username.empty())
            r.headers["Authorization"] = "Basic " + base64(with_.username + ":" + with_.password);
        r.retries = with_.retries;
        r.insecure = with_.skip_cert_verification;
        r.trusted_pem = with_.client_ca_certificate_pem;
        r.certificate_pem = with_.client_certificate_pem;
        r.key_pem = with_.client_private_key_pem;

        return client_.send(std::move(r));
    }

    [[nodiscard]] auto unreachable(http::response const& got) const -> infra::failure
    {
        // The server of the lock, and that of a redirection, may be another one.
        std::string const place = got.url.empty() ? shown(with_.address) : got.url;
        return make_failure(messages::remote_state_unreachable, {place, got.reason()});
    }
    [[nodiscard]] auto refused(std::string const& method, http::response const& got) const -> infra::failure
    {
        std::string const place = shown(with_.address);
        if (got.status == 401 && !with_.username.empty())
            return make_failure(messages::remote_state_login_refused, {place, with_.username});
        if (got.status == 401) return make_failure(messages::remote_state_needs_login, {place});
        if (got.status == 403) return make_failure(messages::remote_state_denied, {place});
        if (auto redirected = redirection_failure(place, method, got)) return *redirected;
        return make_failure(messages::remote_state_refused, {place, std::to_string(got.status)});
    }

    http_settings with_;
    http::blocking_client client_;
};

}  // namespace

auto make_http_state(http_settings settings) -> std::shared_ptr<state_client>
{
    return std::make_shared<http_state>(std::move(settings));
}

}  // namespace iacctl::backends
