// SPDX-License-Identifier: BSL-1.0
#include "s3_objects.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "base/timestamp.hpp"
#include "base/xml_document.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "object_response.hpp"
#include "object_state.hpp"
#include "redirection.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace iacctl::backends {

using state::make_failure;

namespace {

using outcome = write_reply::outcome_type;
using header_map = std::map<std::string, std::string>;

constexpr int most_s3_tries = 5;
constexpr char const* content_sum_header = "X-Amz-Content-Sha256";

// Returns whether the body is the one to which the headers of the response belong. An ETag is the MD5 of an object that
// was written at once and is not encrypted with a key of KMS or of a client.
// \param body_sum  its SHA-256, if it is known
auto is_intact(http::response const& got, std::string const& body, std::optional<std::string> const& body_sum = {})
    -> bool
{
    if (auto const sum = header_of(got, "X-Amz-Checksum-Sha256"); !sum.empty() && sum.find('-') == std::string::npos)
        return sum == base64(body_sum ? *body_sum : digest(body, digest_kind::sha256));
    std::string const etag = header_of(got, "Etag");
    auto const is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    bool const is_quoted = etag.size() == 34 && etag.front() == '"' && etag.back() == '"';
    std::string const sum = is_quoted ? etag.substr(1, 32) : std::string();
    bool const is_keyed = header_of(got, "X-Amz-Server-Side-Encryption").starts_with("aws:")
        || !header_of(got, "X-Amz-Server-Side-Encryption-Customer-Algorithm").empty();
    if (is_keyed || sum.empty() || !std::ranges::all_of(sum, is_hex)) return true;
    return sum == hex(digest(body, digest_kind::md5));
}

auto is_about_key(http::response const& got) -> bool
{
    return xml_text(got.body, "Code") == "NoSuchKey";
}

// Tags as the header of a request contains them.
auto query_of(std::map<std::string, std::string> const& tags) -> std::string
{
    std::string made;
    for (auto const& [key, value] : tags)
        made += (made.empty() ? "" : "&") + aws_encoded(key) + "=" + aws_encoded(value);
    return made;
}

// The locks in a table, by the keys of documents.
class table_locks final : public store_locks {
public:
    table_locks(dynamodb_table& table, std::string bucket) : table_(&table), bucket_(std::move(bucket)) {}

    [[nodiscard]] auto guards_writes() const noexcept -> bool override { return false; }
    [[nodiscard]] auto lock(std::string const& key, lock_info const& as) -> expected<lock_attempt> override
    {
        return table_->lock(bucket_ + "/" + key, as);
    }
    [[nodiscard]] auto unlock(std::string const& key, lock_info const& info) -> expected<void> override
    {
        return table_->unlock(bucket_ + "/" + key, info);
    }
    [[nodiscard]] auto holder(std::string const& key) -> expected<std::optional<lock_info>> override
    {
        return table_->holder(bucket_ + "/" + key);
    }

private:
    dynamodb_table* table_;
    std::string bucket_;
};

class s3_objects final : public object_store {
public:
    explicit s3_objects(s3_settings settings) : with_(std::move(settings))
    {
        auto const parsed = http::url::parse(with_.endpoint);
        std::string const endpoint = parsed ? parsed->origin() : with_.connection.endpoint("s3", with_.region);
        if (with_.use_path_style || with_.bucket.find('.') != std::string::npos) {
            bucket_url_ = endpoint + "/" + aws_encoded(with_.bucket);
        } else {
            auto const host = endpoint.find("//") + 2;
            bucket_url_ = endpoint.substr(0, host) + with_.bucket + "." + endpoint.substr(host);
        }
        if (with_.dynamodb.table.empty()) return;
        table_.emplace(with_.dynamodb, with_.identity, with_.connection);
        locks_.emplace(*table_, with_.bucket);
    }

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "s3"; }
    [[nodiscard]] auto place_of(std::string const& key) const -> std::string override
    {
        return place_at(key, with_.endpoint.empty() ? std::string() : bucket_url_);
    }

    // A document is compared with the digest in the table. Another client may be between the two writes.
    [[nodiscard]] auto get(std::string const& key, object_use use) -> expected<stored_object> override
    {
        if (use == object_use::lock) return read(key, http::redirections::none);
        auto wait = with_.connection.retries.least_wait;
        for (int tries = 1;; ++tries) {
            auto got = get_again(key);
            if (!got || !table_) return got;
            auto const sum = table_->digest(digest_key_of(key));
            if (!sum) return sum.error();
            std::string const here = got->text ? hex(digest(*got->text, digest_kind::md5)) : std::string();
            if (!*sum || (*sum)->empty() || **sum == here) return got;
            if (tries == most_s3_tries)
                return make_failure(
                    messages::s3_digest_differs, {place_of(key), here.empty() ? "(no object)" : here, **sum});
            std::this_thread::sleep_for(wait);
            wait *= 2;
        }
    }
    [[nodiscard]] auto get_again(std::string const& key) -> expected<stored_object> override
    {
        return read(key, http::redirections::secure);
    }
    [[nodiscard]] auto put(std::string const& key, object_use use, std::string const& text,
        write_condition const& only_if) -> expected<write_reply> override
    {
        std::string const sum = digest(text, digest_kind::sha256);
        auto headers = headers_of_write(use, sum);
        if (only_if.is_absent()) headers["If-None-Match"] = "*";
        else if (!only_if.is_any()) headers["If-Match"] = only_if.version();
        auto const got = send("PUT", target_of(key), http::redirections::none, text, std::move(headers));
        if (got.status == 200) return check_written(key, text, sum, got);
        // 409: another request for the same object is in progress.
        bool const is_refused = got.status == 409 || got.status == 412
            || (use == object_use::document && got.status == 404 && is_about_key(got));
        if (!is_refused) return failure_of(got, key, "PUT");
        return write_reply{.outcome = outcome::refused,
            .reason = "status " + std::to_string(got.status) + " " + xml_text(got.body, "Code")};
    }
    [[nodiscard]] auto record_written(std::string const& key, std::string const& text) -> expected<void> override
    {
        if (!table_) return {};
        return table_->write_digest(digest_key_of(key), hex(digest(text, digest_kind::md5)));
    }
    [[nodiscard]] auto remove(std::string const& key, object_use use, std::string const& version)
        -> expected<void> override
    {
        auto const request = [&](header_map headers) {
            return send(
                "DELETE", target_of(key), http::redirections::none, {}, std::move(headers), use == object_use::lock);
        };
        auto got = request(version.empty() ? header_map() : header_map{{"If-Match", version}});
        if (got.status == 501 && !version.empty()) got = request({});  // a server without conditional removals
        // This version was removed before.
        bool const is_gone = !version.empty() && (got.status == 412 || (got.status == 404 && is_about_key(got)));
        if (got.status != 204 && !is_gone) return failure_of(got, key, "DELETE");
        if (!table_ || use == object_use::lock) return {};
        return table_->erase_digest(digest_key_of(key));
    }
    [[nodiscard]] auto list(std::string const& prefix) -> expected<std::vector<std::string>> override
    {
        std::vector<std::string> all;
        std::string token;
        do {
            std::string query = "?list-type=2&encoding-type=url&prefix=" + aws_encoded(prefix);
            if (!token.empty()) query += "&continuation-token=" + aws_encoded(token);
            auto const got = send("GET", query, http::redirections::secure);
            if (got.status != 200) return failure_of(got, with_.key, "GET");
            auto const page = xml_document::parse(got.body);
            if (!page || page->root() != "ListBucketResult")
                return make_failure(
                    messages::s3_response_invalid, {place_of(prefix), "GET", "a list that is not that of a bucket"});
            for (std::string key : page->texts("Key")) {
                std::ranges::replace(key, '+', ' ');
                all.push_back(http::percent_decoded(key));
            }
            token = page->text("IsTruncated") == "true" ? page->text("NextContinuationToken") : std::string();
        } while (!token.empty());
        return all;
    }
    [[nodiscard]] auto locks() -> store_locks* override { return locks_ ? &*locks_ : nullptr; }

private:
    [[nodiscard]] auto digest_key_of(std::string const& key) const -> std::string
    {
        return with_.bucket + "/" + key + "-md5";
    }
    [[nodiscard]] static auto target_of(std::string const& key) -> std::string { return "/" + aws_encoded(key, "/"); }

    // \param sum  SHA-256 of the text
    [[nodiscard]] auto headers_of_write(object_use use, std::string const& sum) const -> header_map
    {
        header_map headers{{"Content-Type", "application/json"}, {content_sum_header, hex(sum)}};
        if (!with_.skip_s3_checksum) {
            headers["X-Amz-Checksum-Sha256"] = base64(sum);
            headers["X-Amz-Sdk-Checksum-Algorithm"] = "SHA256";
        }
        if (!with_.acl.empty()) headers["X-Amz-Acl"] = with_.acl;
        auto const& tags = use == object_use::lock ? with_.lock_tags : with_.state_tags;
        if (!tags.empty()) headers["X-Amz-Tagging"] = query_of(tags);
        if (with_.encrypt && !with_.sse_customer_key.empty()) {
            add_customer_key(headers);
        } else if (with_.encrypt) {
            headers["X-Amz-Server-Side-Encryption"] = with_.kms_key_id.empty() ? "AES256" : "aws:kms";
            if (!with_.kms_key_id.empty()) headers["X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"] = with_.kms_key_id;
        }
        return headers;
    }
    void add_customer_key(header_map& headers) const
    {
        std::string const prefix = "X-Amz-Server-Side-Encryption-Customer-";
        headers[prefix + "Algorithm"] = "AES256";
        headers[prefix + "Key"] = base64(with_.sse_customer_key);
        headers[prefix + "Key-Md5"] = base64(digest(with_.sse_customer_key, digest_kind::md5));
    }
    // \return a response without status if there are no credentials; `failure_of` then returns the reason
    [[nodiscard]] auto send(std::string method, std::string const& target, http::redirections follows,
        std::optional<std::string> body = {}, header_map headers = {}, bool only_once = false) -> http::response
    {
        http::request r;
        r.method = std::move(method);
        r.url = bucket_url_ + target;
        r.headers = std::move(headers);
        if (!r.headers.contains(content_sum_header))
            r.headers[content_sum_header] = hex(digest(body.value_or(std::string()), digest_kind::sha256));
        r.body = std::move(body);
        r.follows = follows;
        auto const by = with_.identity->credentials();
        without_credentials_ = by ? std::nullopt : std::optional(by.error());
        if (!by) return {};
        sign(r, *by, with_.region, "s3", timestamp::now().compact_text());
        if (!only_once) return with_.connection.send(client_, std::move(r));
        auto once = with_.connection;
        once.retries.most = 0;
        once.retries.repeatable = false;
        return once.send(client_, std::move(r));
    }

    [[nodiscard]] auto read(std::string const& key, http::redirections follows) -> expected<stored_object>
    {
        header_map headers{{"X-Amz-Checksum-Mode", "ENABLED"}};
        if (with_.encrypt && !with_.sse_customer_key.empty()) add_customer_key(headers);
        auto got = send("GET", target_of(key), follows, {}, std::move(headers));
        if (got.status == 404 && is_about_key(got)) return stored_object();
        if (got.status != 200) return failure_of(got, key, "GET");
        std::string const etag = header_of(got, "Etag");
        if (etag.empty() && !with_.skip_conditional_writes) return without_etag(key, "GET");
        if (!is_intact(got, got.body)) return make_failure(messages::remote_state_garbled, {place_of(key)});
        stored_object made{std::nullopt, etag};
        if (!got.body.empty()) made.text = std::move(got.body);
        return made;
    }
    // Checks the response to a write with the status 200.
    [[nodiscard]] auto check_written(std::string const& key, std::string const& text, std::string const& sum,
        http::response const& got) const -> expected<write_reply>
    {
        if (!xml_text(got.body, "Code").empty()) return failure_of(got, key, "PUT");
        std::string const etag = header_of(got, "Etag");
        if (etag.empty() && !with_.skip_conditional_writes) return without_etag(key, "PUT");
        if (!is_intact(got, text, sum)) return make_failure(messages::remote_state_garbled, {place_of(key)});
        return write_reply{.version = etag};
    }
    [[nodiscard]] auto without_etag(std::string const& key, std::string const& method) const -> infra::failure
    {
        return make_failure(messages::s3_response_invalid, {place_of(key), method, "status 200 without an ETag"});
    }
    // The place of an object, with a URL at which it is accessed if there is one.
    [[nodiscard]] auto place_at(std::string const& key, std::string const& url) const -> std::string
    {
        return "s3://" + with_.bucket + "/" + key + (url.empty() ? std::string() : " (" + url + ")");
    }
    [[nodiscard]] auto failure_of(http::response const& got, std::string const& key, std::string const& method) const
        -> infra::failure
    {
        if (without_credentials_) return *without_credentials_;
        if (!got) return make_failure(messages::remote_state_unreachable, {place_at(key, got.url), got.reason()});
        auto const place = place_of(key);
        auto const code = xml_text(got.body, "Code");
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
    std::optional<dynamodb_table> table_;
    std::optional<table_locks> locks_;  // of the table
    std::optional<infra::failure> without_credentials_;  // why the last request was not sent
    http::blocking_client client_;
};

}  // namespace

auto make_s3_objects(s3_settings settings) -> std::shared_ptr<object_store>
{
    return std::make_shared<s3_objects>(std::move(settings));
}

auto make_s3_state(s3_settings settings) -> std::shared_ptr<state_client>
{
    object_layout layout;
    layout.of_default = settings.key;
    layout.before = settings.workspace_key_prefix + "/";
    layout.after = "/" + settings.key;
    layout.uses_lock_objects = settings.use_lockfile;
    layout.conditional = !settings.skip_conditional_writes;
    return make_object_state(make_s3_objects(std::move(settings)), std::move(layout));
}

}  // namespace iacctl::backends
