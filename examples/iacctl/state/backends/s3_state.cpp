// SPDX-License-Identifier: BSL-1.0
#include "s3_state.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "base/timestamp.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "redirection.hpp"
#include "state/workspace_name.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace iacctl::backends {

using state::make_failure;

namespace {

constexpr char const* lock_suffix = ".tflock";
constexpr int most_tries = 5;

// Returns whether the body is the one to which the headers of the response belong. An ETag is the MD5 of an object that
// was written at once and is not encrypted with a key of KMS or of a client.
auto is_intact(http::response const& got, std::string const& body) -> bool
{
    auto const header = [&](char const* name) {
        auto const found = got.headers.find(name);
        return found == got.headers.end() ? std::string() : found->second;
    };
    if (auto const sum = header("X-Amz-Checksum-Sha256"); !sum.empty() && sum.find('-') == std::string::npos)
        return sum == base64(digest(body, digest_kind::sha256));
    std::string const etag = header("Etag");
    auto const is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    bool const is_quoted = etag.size() == 34 && etag.front() == '"' && etag.back() == '"';
    std::string const sum = is_quoted ? etag.substr(1, 32) : std::string();
    bool const is_keyed = header("X-Amz-Server-Side-Encryption").starts_with("aws:")
        || !header("X-Amz-Server-Side-Encryption-Customer-Algorithm").empty();
    if (is_keyed || sum.empty() || !std::ranges::all_of(sum, is_hex)) return true;
    return sum == hex(digest(body, digest_kind::md5));
}

// Tags as the header of a request contains them.
auto query_of(std::map<std::string, std::string> const& tags) -> std::string
{
    std::string made;
    for (auto const& [key, value] : tags)
        made += (made.empty() ? "" : "&") + aws_encoded(key) + "=" + aws_encoded(value);
    return made;
}

// The document of a workspace as this process has read or written it last.
struct known_document {
    std::string etag;  // empty: there was none
    std::string unconfirmed;  // SHA-256 of a document that was sent without a reply
};

class s3_state final : public state_client {
public:
    explicit s3_state(s3_settings settings) : with_(std::move(settings))
    {
        auto const parsed = http::url::parse(with_.endpoint);
        std::string const endpoint = parsed ? parsed->origin() : with_.connection.endpoint("s3", with_.region);
        if (with_.use_path_style || with_.bucket.find('.') != std::string::npos) {
            bucket_url_ = endpoint + "/" + aws_encoded(with_.bucket);
        } else {
            auto const host = endpoint.find("//") + 2;
            bucket_url_ = endpoint.substr(0, host) + with_.bucket + "." + endpoint.substr(host);
        }
        if (!with_.dynamodb.table.empty()) table_.emplace(with_.dynamodb, with_.identity, with_.connection);
    }

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "s3"; }
    [[nodiscard]] auto place_of(std::string const& workspace) const -> std::string override
    {
        return place_at(workspace, with_.endpoint.empty() ? std::string() : bucket_url_);
    }
    [[nodiscard]] auto workspaces() -> expected<std::vector<std::string>> override
    {
        std::string const prefix = with_.workspace_key_prefix + "/";
        std::vector<std::string> all;
        std::string token;
        do {
            std::string query = "?list-type=2&encoding-type=url&prefix=" + aws_encoded(prefix);
            if (!token.empty()) query += "&continuation-token=" + aws_encoded(token);
            auto const got = send("GET", query, http::redirections::secure);
            if (got.status != 200) return failure_of(got, state::default_workspace, "GET");
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
        auto got = read_checked(workspace);
        if (!got) return got.error();
        known_[workspace] = {got->etag, {}};
        return std::move(got->text);
    }
    [[nodiscard]] auto put(std::string const& workspace, std::string const& text, std::string const& lock_id)
        -> expected<void> override
    {
        if (!lock_id.empty()) {
            auto const held = held_lock(workspace);
            if (!held) return held.error();
            if (!*held || (*held)->id != lock_id)
                return make_failure(messages::remote_lock_lost, {place_of(workspace)});
        }
        known_document& known = known_[workspace];
        std::string const sum = hex(digest(text, digest_kind::sha256));
        for (int tries = 1;; ++tries) {
            auto const got = write(workspace, "", text, condition(known));
            if (got.status == 200) {
                known = {etag_of(got), {}};
                if (auto const ok = check_written(workspace, text, got); !ok) return ok.error();
                return write_digest(workspace, text);
            }
            if (!got) known.unconfirmed = sum;
            bool const is_refused = got.status == 409 || got.status == 412 || (got.status == 404 && is_about_key(got));
            if (!is_refused) return failure_of(got, workspace, "PUT");
            auto const there = read(workspace, "", http::redirections::secure);
            if (!there) return there.error();
            std::string const sum_there = there->text ? hex(digest(*there->text, digest_kind::sha256)) : std::string();
            // The reply to an earlier attempt, or to an earlier write of this process, may have been lost.
            bool const is_own = !sum_there.empty() && (sum_there == sum || sum_there == known.unconfirmed);
            if (is_own) known.etag = there->etag;
            if (sum_there == sum) return write_digest(workspace, text);
            bool const is_unchanged = there->etag == known.etag;  // 409: another request was in progress
            if ((!is_own && !is_unchanged) || tries == most_tries)
                return make_failure(messages::remote_state_conflict,
                    {place_of(workspace), "  status " + std::to_string(got.status) + " " + element(got.body, "Code")});
        }
    }
    [[nodiscard]] auto erase(std::string const& workspace) -> expected<void> override
    {
        if (auto const removed = remove(workspace, ""); !removed) return removed.error();
        known_.erase(workspace);
        return table_ ? table_->erase_digest(digest_key_of(workspace)) : expected<void>();
    }

    [[nodiscard]] auto can_lock() const noexcept -> bool override { return with_.use_lockfile || table_; }
    [[nodiscard]] auto lock(std::string const& workspace, lock_info const& as) -> expected<lock_attempt> override
    {
        if (with_.use_lockfile) {
            auto file = lock_file(workspace, as);
            if (!file || !file->held || !table_) return file;
        }
        auto item = table_->lock(lock_key_of(workspace), as);
        if (item && item->held) return item;
        if (with_.use_lockfile)
            if (auto const ok = unlock_file(workspace, as); !ok) return ok.error();
        return item;
    }
    [[nodiscard]] auto unlock(std::string const& workspace, lock_info const& info) -> expected<void> override
    {
        auto item = table_ ? table_->unlock(lock_key_of(workspace), info) : expected<void>();
        auto file = with_.use_lockfile ? unlock_file(workspace, info) : expected<void>();
        return item ? file : item;
    }
    [[nodiscard]] auto holder(std::string const& workspace) -> std::optional<lock_info> override
    {
        auto held = held_lock(workspace);
        return held ? std::move(*held) : std::nullopt;
    }

private:
    [[nodiscard]] auto lock_file(std::string const& workspace, lock_info const& as) -> expected<lock_attempt>
    {
        for (int tries = 1;; ++tries) {
            auto const got = write(workspace, lock_suffix, as.text(), {{"If-None-Match", "*"}});
            if (got.status == 200) {
                if (auto const ok = check_written(workspace, as.text(), got); !ok) return ok.error();
                return lock_attempt{true, std::nullopt};
            }
            // 409: another request for the same object is in progress.
            if (got.status != 412 && got.status != 409) return failure_of(got, workspace, "PUT");
            auto holder = lock_of(workspace);
            if (!holder) return holder.error();
            if (!*holder && tries < most_tries) continue;  // released meanwhile
            // The reply to an earlier attempt may have been lost: then the lock is that of this process.
            bool const own = *holder && (*holder)->id == as.id;
            return lock_attempt{own, own ? std::nullopt : std::move(*holder)};
        }
    }
    [[nodiscard]] auto unlock_file(std::string const& workspace, lock_info const& info) -> expected<void>
    {
        auto const held = lock_of(workspace);
        if (!held) return held.error();
        if (!*held) return {};
        if ((*held)->id != info.id)
            return make_failure(messages::lock_id_differs, {place_of(workspace), (*held)->description(), info.id});
        return remove(workspace, lock_suffix);
    }
    // The lock of a state, in a file or in the table; nothing if it is not locked.
    [[nodiscard]] auto held_lock(std::string const& workspace) -> expected<std::optional<lock_info>>
    {
        if (with_.use_lockfile) return lock_of(workspace);
        if (table_) return table_->holder(lock_key_of(workspace));
        return std::optional<lock_info>();
    }
    [[nodiscard]] auto lock_key_of(std::string const& workspace) const -> std::string
    {
        return with_.bucket + "/" + key_of(workspace);
    }
    [[nodiscard]] auto digest_key_of(std::string const& workspace) const -> std::string
    {
        return lock_key_of(workspace) + "-md5";
    }
    [[nodiscard]] auto write_digest(std::string const& workspace, std::string const& text) -> expected<void>
    {
        if (!table_) return {};
        return table_->write_digest(digest_key_of(workspace), hex(digest(text, digest_kind::md5)));
    }

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

    // The condition under which a document is written: nobody else has written it since it was read.
    [[nodiscard]] auto condition(known_document const& known) const -> std::map<std::string, std::string>
    {
        if (with_.skip_conditional_writes) return {};
        if (known.etag.empty()) return {{"If-None-Match", "*"}};
        return {{"If-Match", known.etag}};
    }
    [[nodiscard]] auto write(std::string const& workspace, char const* suffix, std::string text,
        std::map<std::string, std::string> headers) -> http::response
    {
        headers["Content-Type"] = "application/json";
        if (!with_.skip_s3_checksum) {
            headers["X-Amz-Checksum-Sha256"] = base64(digest(text, digest_kind::sha256));
            headers["X-Amz-Sdk-Checksum-Algorithm"] = "SHA256";
        }
        if (!with_.acl.empty()) headers["X-Amz-Acl"] = with_.acl;
        auto const& tags = suffix == std::string_view(lock_suffix) ? with_.lock_tags : with_.state_tags;
        if (!tags.empty()) headers["X-Amz-Tagging"] = query_of(tags);
        if (with_.encrypt && !with_.sse_customer_key.empty()) {
            add_customer_key(headers);
        } else if (with_.encrypt) {
            headers["X-Amz-Server-Side-Encryption"] = with_.kms_key_id.empty() ? "AES256" : "aws:kms";
            if (!with_.kms_key_id.empty()) headers["X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"] = with_.kms_key_id;
        }
        return send("PUT", target_of(workspace, suffix), http::redirections::none, std::move(text), std::move(headers));
    }
    void add_customer_key(std::map<std::string, std::string>& headers) const
    {
        std::string const prefix = "X-Amz-Server-Side-Encryption-Customer-";
        headers[prefix + "Algorithm"] = "AES256";
        headers[prefix + "Key"] = base64(with_.sse_customer_key);
        headers[prefix + "Key-Md5"] = base64(digest(with_.sse_customer_key, digest_kind::md5));
    }
    // \return a response without status if there are no credentials; `failure_of` then returns the reason
    [[nodiscard]] auto send(std::string method, std::string const& target, http::redirections follows,
        std::optional<std::string> body = {}, std::map<std::string, std::string> headers = {}) -> http::response
    {
        http::request r;
        r.method = std::move(method);
        r.url = bucket_url_ + target;
        r.headers = std::move(headers);
        r.headers["X-Amz-Content-Sha256"] = hex(digest(body.value_or(std::string()), digest_kind::sha256));
        r.body = std::move(body);
        r.follows = follows;
        auto const by = with_.identity->credentials();
        without_credentials_ = by ? std::nullopt : std::optional(by.error());
        if (!by) return {};
        sign(r, *by, with_.region, "s3", timestamp::now().compact_text());
        return with_.connection.send(client_, std::move(r));
    }

    struct object {
        std::optional<std::string> text;
        std::string etag;  // empty: there is no object
    };
    [[nodiscard]] auto read(std::string const& workspace, char const* suffix, http::redirections follows)
        -> expected<object>
    {
        std::map<std::string, std::string> headers{{"X-Amz-Checksum-Mode", "ENABLED"}};
        if (with_.encrypt && !with_.sse_customer_key.empty()) add_customer_key(headers);
        auto got = send("GET", target_of(workspace, suffix), follows, {}, std::move(headers));
        if (got.status == 404 && is_about_key(got)) return object();
        if (got.status != 200) return failure_of(got, workspace, "GET");
        std::string const etag = etag_of(got);
        if (etag.empty() && !with_.skip_conditional_writes) return without_etag(workspace, "GET");
        if (!is_intact(got, got.body)) return make_failure(messages::remote_state_garbled, {place_of(workspace)});
        object made{std::nullopt, etag};
        if (!got.body.empty()) made.text = std::move(got.body);
        return made;
    }
    // Reads a document, and compares it with the digest in the table. Another client may be between the two writes.
    [[nodiscard]] auto read_checked(std::string const& workspace) -> expected<object>
    {
        auto wait = with_.connection.retries.least_wait;
        for (int tries = 1;; ++tries) {
            auto got = read(workspace, "", http::redirections::secure);
            if (!got || !table_) return got;
            auto const sum = table_->digest(digest_key_of(workspace));
            if (!sum) return sum.error();
            std::string const here = got->text ? hex(digest(*got->text, digest_kind::md5)) : std::string();
            if (!*sum || (*sum)->empty() || **sum == here) return got;
            if (tries == most_tries)
                return make_failure(
                    messages::s3_digest_differs, {place_of(workspace), here.empty() ? "(no object)" : here, **sum});
            std::this_thread::sleep_for(wait);
            wait *= 2;
        }
    }
    [[nodiscard]] auto remove(std::string const& workspace, char const* suffix) -> expected<void>
    {
        auto const got = send("DELETE", target_of(workspace, suffix), http::redirections::none);
        if (got.status == 204) return {};
        return failure_of(got, workspace, "DELETE");
    }
    // Checks the response to a write with the status 200.
    [[nodiscard]] auto check_written(std::string const& workspace, std::string const& text, http::response const& got)
        -> expected<void>
    {
        if (!element(got.body, "Code").empty()) return failure_of(got, workspace, "PUT");
        if (etag_of(got).empty() && !with_.skip_conditional_writes) return without_etag(workspace, "PUT");
        if (!is_intact(got, text)) return make_failure(messages::remote_state_garbled, {place_of(workspace)});
        return {};
    }
    // A lock with an unreadable description has an empty ID: it has no known holder, and cannot be taken.
    [[nodiscard]] auto lock_of(std::string const& workspace) -> expected<std::optional<lock_info>>
    {
        auto const there = read(workspace, lock_suffix, http::redirections::none);
        if (!there) return there.error();
        if (!there->text) return std::optional<lock_info>();
        return std::optional(lock_info::parse(*there->text).value_or(lock_info()));
    }
    [[nodiscard]] static auto etag_of(http::response const& got) -> std::string
    {
        auto const found = got.headers.find("Etag");
        return found == got.headers.end() ? std::string() : found->second;
    }
    [[nodiscard]] static auto is_about_key(http::response const& got) -> bool
    {
        return element(got.body, "Code") == "NoSuchKey";
    }
    [[nodiscard]] auto without_etag(std::string const& workspace, std::string const& method) const -> infra::failure
    {
        return make_failure(messages::s3_response_invalid, {place_of(workspace), method, "status 200 without an ETag"});
    }
    // The place of a state, with a URL at which it is accessed if there is one.
    [[nodiscard]] auto place_at(std::string const& workspace, std::string const& url) const -> std::string
    {
        return "s3://" + with_.bucket + "/" + key_of(workspace) + (url.empty() ? std::string() : " (" + url + ")");
    }
    [[nodiscard]] auto failure_of(
        http::response const& got, std::string_view workspace, std::string const& method) const -> infra::failure
    {
        if (without_credentials_) return *without_credentials_;
        if (!got)
            return make_failure(
                messages::remote_state_unreachable, {place_at(std::string(workspace), got.url), got.reason()});
        auto const place = place_of(std::string(workspace));
        auto const code = element(got.body, "Code");
        auto const status = std::to_string(got.status);
        if (auto redirected = redirection_failure(place, method, got)) return *redirected;
        if (method == "PUT" && (got.status == 501 || code == "NotImplemented"))
            return make_failure(messages::s3_conditional_writes_refused, {place, status, code});
        if (code.empty() && (got.status < 400 || got.status == 404))
            return make_failure(messages::s3_response_invalid, {place, method, "status " + status});
        return make_failure(messages::s3_request_refused, {place, status, code});
    }

    s3_settings with_;
    std::string bucket_url_;
    std::map<std::string, known_document> known_;  // by workspace
    std::optional<dynamodb_table> table_;
    std::optional<infra::failure> without_credentials_;  // why the last request was not sent
    http::blocking_client client_;
};

}  // namespace

auto make_s3_state(s3_settings settings) -> std::shared_ptr<state_client>
{
    return std::make_shared<s3_state>(std::move(settings));
}

}  // namespace iacctl::backends
