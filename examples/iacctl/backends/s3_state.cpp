// SPDX-License-Identifier: BSL-1.0
#include "s3_state.hpp"

#include "http/blocking_client.hpp"
#include "http/url.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "state/workspace_name.hpp"
#include "support/digest.hpp"
#include "support/encoding.hpp"
#include "support/timestamp.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace iacctl::backends {

using state::make_failure;

namespace {

constexpr char const* lock_suffix = ".tflock";

// The texts of all elements with a name.
auto elements(std::string_view document, std::string const& name) -> std::vector<std::string>
{
    std::vector<std::string> all;
    std::string const open = "<" + name + ">";
    for (auto at = document.find(open); at != document.npos; at = document.find(open, at)) {
        at += open.size();
        all.emplace_back(document.substr(at, std::min(document.find('<', at), document.size()) - at));
    }
    return all;
}

auto element(std::string_view document, std::string const& name) -> std::string
{
    auto const all = elements(document, name);
    return all.empty() ? std::string() : all.front();
}

class s3_state final : public state_client {
public:
    explicit s3_state(s3_settings with) : with_(std::move(with))
    {
        auto const parsed = http::url::parse(with_.endpoint);
        std::string const endpoint = parsed
            ? parsed->origin()
            : "https://s3." + with_.region + ".amazonaws.com" + (with_.region.starts_with("cn-") ? ".cn" : "");
        if (with_.use_path_style || with_.bucket.find('.') != std::string::npos) {
            bucket_url_ = endpoint + "/" + aws_encoded(with_.bucket);
        } else {
            auto const host = endpoint.find("//") + 2;
            bucket_url_ = endpoint.substr(0, host) + with_.bucket + "." + endpoint.substr(host);
        }
    }

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "s3"; }
    [[nodiscard]] auto place_of(std::string const& workspace) const -> std::string override
    {
        return "s3://" + with_.bucket + "/" + key_of(workspace)
            + (with_.endpoint.empty() ? std::string() : " (" + bucket_url_ + ")");
    }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        std::string const prefix = with_.workspace_key_prefix + "/";
        std::vector<std::string> all;
        std::string token;
        do {
            std::string query = "?list-type=2&encoding-type=url&prefix=" + aws_encoded(prefix);
            if (!token.empty()) query += "&continuation-token=" + aws_encoded(token);
            auto const got = send("GET", query);
            if (got.status != 200) return failure_of(got, state::default_workspace);
            for (std::string key : elements(got.body, "Key")) {
                std::ranges::replace(key, '+', ' ');
                auto name = workspace_of(http::percent_decoded(key), prefix);
                if (!name.empty()) all.push_back(std::move(name));
            }
            token =
                element(got.body, "IsTruncated") == "true" ? element(got.body, "NextContinuationToken") : std::string();
        } while (!token.empty());
        std::ranges::sort(all);
        all.emplace(all.begin(), state::default_workspace);
        return all;
    }

    [[nodiscard]] auto get(std::string const& workspace) -> expected<std::optional<std::string>> override
    {
        return read(workspace, "");
    }
    [[nodiscard]] auto put(std::string const& workspace, std::string const& text, std::string const& lock_id)
        -> std::optional<infra::failure> override
    {
        if (!lock_id.empty()) {
            auto const held = lock_of(workspace);
            if (!held) return held.error();
            if (!*held || (*held)->id != lock_id)
                return make_failure(messages::remote_lock_lost, {place_of(workspace)});
        }
        auto const got = write(workspace, "", text, {});
        return got.status == 200 ? std::nullopt : std::optional(failure_of(got, workspace));
    }
    [[nodiscard]] auto erase(std::string const& workspace) -> std::optional<infra::failure> override
    {
        return remove(workspace, "");
    }

    [[nodiscard]] auto can_lock() const noexcept -> bool override { return with_.use_lockfile; }
    [[nodiscard]] auto lock(std::string const& workspace, lock_info const& as) -> expected<lock_attempt> override
    {
        for (int tries = 1;; ++tries) {
            auto const got = write(workspace, lock_suffix, as.text(), {{"If-None-Match", "*"}});
            if (got.status == 200) return lock_attempt{true, std::nullopt};
            // 409: another request for the same object is in progress.
            if (got.status != 412 && got.status != 409) return failure_of(got, workspace);
            auto holder = lock_of(workspace);
            if (!holder) return holder.error();
            if (!*holder && tries < 5) continue;  // released meanwhile
            // The reply to an earlier attempt may have been lost: then the lock is that of this process.
            bool const own = *holder && (*holder)->id == as.id;
            return lock_attempt{own, own ? std::nullopt : std::move(*holder)};
        }
    }
    [[nodiscard]] auto unlock(std::string const& workspace, lock_info const& of)
        -> std::optional<infra::failure> override
    {
        if (!with_.use_lockfile) return std::nullopt;
        auto const held = lock_of(workspace);
        if (!held) return held.error();
        if (!*held) return std::nullopt;
        if ((*held)->id != of.id)
            return make_failure(messages::lock_id_differs, {place_of(workspace), (*held)->description(), of.id});
        return remove(workspace, lock_suffix);
    }
    [[nodiscard]] auto holder(std::string const& workspace) -> std::optional<lock_info> override
    {
        if (!with_.use_lockfile) return std::nullopt;
        auto held = lock_of(workspace);
        return held ? std::move(*held) : std::nullopt;
    }

private:
    [[nodiscard]] auto key_of(std::string const& workspace) const -> std::string
    {
        if (workspace == state::default_workspace) return with_.key;
        return with_.workspace_key_prefix + "/" + workspace + "/" + with_.key;
    }
    [[nodiscard]] auto target_of(std::string const& workspace, char const* suffix) const -> std::string
    {
        return "/" + aws_encoded(key_of(workspace) + suffix, "/");
    }
    // Empty if the key is not that of the state of a workspace.
    [[nodiscard]] auto workspace_of(std::string_view key, std::string_view prefix) const -> std::string
    {
        std::string const suffix = "/" + with_.key;
        if (key.size() < prefix.size() + suffix.size() || !key.starts_with(prefix) || !key.ends_with(suffix)) return {};
        std::string_view const name = key.substr(prefix.size(), key.size() - prefix.size() - suffix.size());
        return std::string(state::is_workspace_name(name) ? name : std::string_view());
    }

    [[nodiscard]] auto write(std::string const& workspace, char const* suffix, std::string text,
        std::map<std::string, std::string> headers) -> http::response
    {
        headers["Content-Type"] = "application/json";
        if (with_.encrypt) headers["X-Amz-Server-Side-Encryption"] = with_.kms_key_id.empty() ? "AES256" : "aws:kms";
        if (with_.encrypt && !with_.kms_key_id.empty())
            headers["X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"] = with_.kms_key_id;
        return send("PUT", target_of(workspace, suffix), std::move(text), std::move(headers));
    }
    [[nodiscard]] auto send(std::string method, std::string const& target, std::optional<std::string> body = {},
        std::map<std::string, std::string> headers = {}) -> http::response
    {
        http::request r;
        r.method = std::move(method);
        r.url = bucket_url_ + target;
        r.headers = std::move(headers);
        r.headers["X-Amz-Content-Sha256"] = hex(digest(body.value_or(std::string()), digest_kind::sha256));
        r.body = std::move(body);
        r.retries = with_.retries;
        r.insecure = with_.insecure;
        r.trusted_pem = with_.trusted_pem;
        sign(r, with_.credentials, with_.region, "s3", timestamp::now().compact_text());
        return client_.send(std::move(r));
    }

    [[nodiscard]] auto read(std::string const& workspace, char const* suffix) -> expected<std::optional<std::string>>
    {
        auto got = send("GET", target_of(workspace, suffix));
        bool const is_missing = got.status == 404 && element(got.body, "Code") != "NoSuchBucket";
        if (is_missing || (got.status == 200 && got.body.empty())) return std::optional<std::string>();
        if (got.status != 200) return failure_of(got, workspace);
        return std::optional(std::move(got.body));
    }
    [[nodiscard]] auto remove(std::string const& workspace, char const* suffix) -> std::optional<infra::failure>
    {
        auto const got = send("DELETE", target_of(workspace, suffix));
        if (got.status == 200 || got.status == 204) return std::nullopt;
        return failure_of(got, workspace);
    }
    // A lock with an unreadable description has an empty ID: it has no known holder, and cannot be taken.
    [[nodiscard]] auto lock_of(std::string const& workspace) -> expected<std::optional<lock_info>>
    {
        auto const text = read(workspace, lock_suffix);
        if (!text) return text.error();
        if (!*text) return std::optional<lock_info>();
        return std::optional(lock_info::parse(**text).value_or(lock_info()));
    }
    [[nodiscard]] auto failure_of(http::response const& got, std::string_view workspace) const -> infra::failure
    {
        auto const place = place_of(std::string(workspace));
        if (!got) return make_failure(messages::remote_state_unreachable, {place, got.error});
        return make_failure(
            messages::s3_request_refused, {place, std::to_string(got.status), element(got.body, "Code")});
    }

    s3_settings with_;
    std::string bucket_url_;
    http::blocking_client client_;
};

}  // namespace

auto make_s3_state(s3_settings with) -> std::shared_ptr<state_client>
{
    return std::make_shared<s3_state>(std::move(with));
}

}  // namespace iacctl::backends
