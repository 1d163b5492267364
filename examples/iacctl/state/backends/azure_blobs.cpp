// SPDX-License-Identifier: BSL-1.0
#include "azure_blobs.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "base/xml_document.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "object_response.hpp"
#include "redirection.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::backends {

using state::make_failure;

namespace {

using outcome = write_reply::outcome_type;
using header_map = std::map<std::string, std::string>;

constexpr char const* lock_metadata = "terraformlockid";
constexpr std::string_view metadata_prefix = "x-ms-meta-";

// The code of an error of the service; empty if another program has answered.
auto error_code_of(http::response const& got) -> std::string
{
    auto code = header_of(got, "X-Ms-Error-Code");
    return code.empty() ? xml_text(got.body, "Code") : code;
}

// Metadata by name, without the prefix of its headers.
auto metadata_of(http::response const& got) -> header_map
{
    header_map all;
    for (auto const& [name, text] : got.headers) {
        auto const lower = ascii_lower_case(name);
        if (lower.starts_with(metadata_prefix)) all[lower.substr(metadata_prefix.size())] = text;
    }
    return all;
}

void add_metadata(header_map& headers, header_map const& metadata)
{
    for (auto const& [name, text] : metadata) headers[std::string(metadata_prefix) + name] = text;
}

auto is_not_found(http::response const& got) -> bool
{
    return got.status == 404 && error_code_of(got) == "BlobNotFound";
}

auto is_about_other_lease(http::response const& got) -> bool
{
    static constexpr std::array<std::string_view, 5> codes{"LeaseIdMismatchWithBlobOperation",
        "LeaseIdMismatchWithLeaseOperation", "LeaseLost", "LeaseNotPresentWithBlobOperation",
        "LeaseNotPresentWithLeaseOperation"};
    return std::ranges::find(codes, error_code_of(got)) != codes.end();
}

// A blob without its text.
struct blob_properties {
    bool exists = false;
    bool is_leased = false;
    header_map metadata;

    // The lock that the metadata describe, with an empty id if they describe none.
    [[nodiscard]] auto lock() const -> lock_info
    {
        auto const found = metadata.find(lock_metadata);
        auto const text = found == metadata.end() ? std::nullopt : from_base64(found->second);
        return text ? lock_info::parse(*text).value_or(lock_info()) : lock_info();
    }
};

class azure_blobs final : public object_store, private store_locks {
public:
    explicit azure_blobs(azurerm_settings settings) : with_(std::move(settings)), account_(with_.access) {}

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "azurerm"; }
    [[nodiscard]] auto place_of(std::string const& key) const -> std::string override
    {
        return "azurerm://" + with_.access.account + "/" + with_.container + "/" + key
            + (with_.cloud_name.empty() ? "" : " (" + with_.cloud_name + ")");
    }

    [[nodiscard]] auto get(std::string const& key, object_use) -> expected<stored_object> override
    {
        auto got = send(key, "GET", {}, {}, http::redirections::secure);
        if (!got) return got.error();
        if (is_not_found(*got)) return stored_object();
        if (got->status != 200) return failure_of(*got, key, "GET");
        std::string version = header_of(*got, "Etag");
        if (version.empty()) return invalid(key, "GET", "status 200 without an ETag");
        if (auto const sum = header_of(*got, "Content-Md5"); !sum.empty() && sum != base64_md5(got->body))
            return make_failure(messages::remote_state_garbled, {place_of(key)});
        metadata_[key] = metadata_of(*got);
        stored_object made{std::nullopt, std::move(version)};
        if (!got->body.empty()) made.text = std::move(got->body);
        return made;
    }
    [[nodiscard]] auto put(std::string const& key, object_use, std::string const& text, write_condition const& only_if)
        -> expected<write_reply> override
    {
        bool const replaces = !only_if.is_any() && !only_if.is_absent();
        if (with_.snapshot && replaces)
            if (auto done = take_snapshot(key); !done) return done.error();
        header_map headers{{"x-ms-blob-type", "BlockBlob"}, {"x-ms-blob-content-type", "application/json"},
            {"x-ms-blob-content-md5", base64_md5(text)}, {"Content-MD5", base64_md5(text)}};
        if (replaces) headers["If-Match"] = only_if.version();
        if (only_if.is_absent()) headers["If-None-Match"] = "*";
        add_metadata(headers, metadata_[key]);
        auto const got = send(key, "PUT", {}, std::move(headers), http::redirections::none, text);
        if (!got) return got.error();
        if (got->status == 201) return written(key, text, *got);
        std::string const code = error_code_of(*got);
        std::string reason = "status " + std::to_string(got->status) + " " + code;
        if (leases_.contains(key) && is_about_other_lease(*got)) return write_reply{.outcome = outcome::lock_lost};
        bool const is_refused = !code.empty() && (got->status == 409 || got->status == 412 || is_not_found(*got));
        if (!is_refused) return failure_of(*got, key, "PUT");
        return write_reply{.outcome = outcome::refused, .reason = std::move(reason)};
    }
    [[nodiscard]] auto remove(std::string const& key, object_use, std::string const& version) -> expected<void> override
    {
        header_map headers;
        if (!version.empty()) headers["If-Match"] = version;
        auto const got = send(key, "DELETE", {}, std::move(headers), http::redirections::none);
        if (!got) return got.error();
        if (got->status == 202 || is_not_found(*got)) return {};
        return failure_of(*got, key, "DELETE");
    }
    [[nodiscard]] auto list(std::string const& prefix) -> expected<std::vector<std::string>> override
    {
        std::vector<std::string> all;
        std::string marker;
        do {
            std::string query = "?restype=container&comp=list&prefix=" + http::percent_encoded(prefix);
            if (!marker.empty()) query += "&marker=" + http::percent_encoded(marker);
            auto const got = send({}, "GET", query, {}, http::redirections::secure);
            if (!got) return got.error();
            if (got->status != 200) return failure_of(*got, prefix, "GET");
            auto const page = xml_document::parse(got->body);
            if (!page || page->root() != "EnumerationResults")
                return invalid(prefix, "GET", "a list that is not that of a container");
            for (std::string& name : page->texts("Name")) all.push_back(std::move(name));
            marker = page->text("NextMarker");
        } while (!marker.empty());
        return all;
    }
    [[nodiscard]] auto locks() -> store_locks* override { return this; }

private:
    [[nodiscard]] auto guards_writes() const noexcept -> bool override { return true; }
    [[nodiscard]] auto lock(std::string const& key, lock_info const& as) -> expected<lock_attempt> override
    {
        auto there = properties_of(key);
        if (!there) return there.error();
        if (!there->exists) {
            // It does not matter who creates it.
            auto const made = put(key, object_use::document, {}, write_condition::absent());
            if (!made) return made.error();
        }
        if (there->is_leased) return not_held(*there, as);
        auto const got = lease(key, "acquire", {{"x-ms-lease-duration", "-1"}, {"x-ms-proposed-lease-id", as.id}});
        if (got && got->status == 409 && !error_code_of(*got).empty()) {
            there = properties_of(key);
            if (!there) return there.error();
            return not_held(*there, as);
        }
        if (!got || (got->status != 201 && got->status != 200)) {
            // If the lease was acquired and only the reply was lost, nobody could release it, because it has no description.
            if (!got || got->status >= 500) std::ignore = lease(key, "release", {{"x-ms-lease-id", as.id}});
            return got ? failure_of(*got, key, "PUT") : got.error();
        }
        leases_[key] = as.id;
        if (auto described = describe_lock(key, as); !described) {
            // Without its description, nobody could release the lock.
            std::ignore = lease(key, "release", {{"x-ms-lease-id", as.id}});
            leases_.erase(key);
            return described.error();
        }
        return lock_attempt{true, std::nullopt};
    }
    [[nodiscard]] auto unlock(std::string const& key, lock_info const& info) -> expected<void> override
    {
        auto const there = properties_of(key);
        if (!there) return there.error();
        auto const own = leases_.find(key);
        if (own != leases_.end() && info.has_id(own->second)) leases_.erase(own);
        if (!there->is_leased) return {};
        auto const held = there->lock();
        if (!held.id.empty() && !info.has_id(held.id)) return of_other(key, held, info);
        auto const got = lease(key, "release", {{"x-ms-lease-id", info.id}});
        if (!got) return got.error();
        if (got->status != 200 && !is_not_found(*got)) {
            if (!is_about_other_lease(*got)) return failure_of(*got, key, "PUT");
            // The reply to an earlier attempt may have been lost.
            auto const after = properties_of(key);
            if (!after) return after.error();
            if (after->is_leased) return of_other(key, after->lock(), info);
        }
        // The description is removed after the release, because nobody could release a lease without a description if this
        // process were killed between both. A description without a lease describes no lock, so it may remain.
        auto metadata = there->metadata;
        if (metadata.erase(lock_metadata) > 0) std::ignore = write_metadata(key, {}, std::move(metadata));
        return {};
    }
    [[nodiscard]] auto holder(std::string const& key) -> expected<std::optional<lock_info>> override
    {
        auto const there = properties_of(key);
        if (!there) return there.error();
        return there->is_leased ? std::optional(there->lock()) : std::nullopt;
    }

    // The reply to an earlier attempt may have been lost: then the lock is that of this process.
    [[nodiscard]] auto not_held(blob_properties const& there, lock_info const& as) -> lock_attempt
    {
        auto held = there.lock();
        bool const is_own = held.id == as.id;
        return {is_own, is_own ? std::nullopt : std::optional(std::move(held))};
    }
    [[nodiscard]] auto of_other(std::string const& key, lock_info const& held, lock_info const& info) const
        -> infra::failure
    {
        auto shown = held.description();
        if (shown.empty()) shown = "  Holder:    unknown";
        return make_failure(messages::lock_id_differs, {place_of(key), shown, info.id});
    }
    [[nodiscard]] auto describe_lock(std::string const& key, lock_info const& as) -> expected<void>
    {
        auto there = properties_of(key);
        if (!there) return there.error();
        there->metadata[lock_metadata] = base64(as.text());
        return write_metadata(key, as, std::move(there->metadata));
    }
    // \param as  the lock that this process holds; with an empty id: none
    [[nodiscard]] auto write_metadata(std::string const& key, lock_info const& as, header_map metadata)
        -> expected<void>
    {
        header_map headers;
        if (!as.id.empty()) headers["x-ms-lease-id"] = as.id;
        add_metadata(headers, metadata);
        auto const got =
            send(key, "PUT", "?comp=metadata", std::move(headers), http::redirections::none, std::string());
        if (!got) return got.error();
        if (got->status != 200) {
            if (!is_about_other_lease(*got)) return failure_of(*got, key, "PUT");
            auto const there = properties_of(key);
            if (!there) return there.error();
            return of_other(key, there->lock(), as);
        }
        metadata_[key] = std::move(metadata);
        return {};
    }
    [[nodiscard]] auto lease(std::string const& key, char const* action, header_map headers) -> expected<http::response>
    {
        headers["x-ms-lease-action"] = action;
        return send(key, "PUT", "?comp=lease", std::move(headers), http::redirections::none, std::string());
    }
    [[nodiscard]] auto properties_of(std::string const& key) -> expected<blob_properties>
    {
        auto const got = send(key, "HEAD", {}, {}, http::redirections::none);
        if (!got) return got.error();
        if (is_not_found(*got)) return blob_properties();
        if (got->status != 200) return failure_of(*got, key, "HEAD");
        auto const status = header_of(*got, "X-Ms-Lease-Status");
        if (status != "locked" && status != "unlocked")
            return invalid(key, "HEAD", "status 200 without a lease status");
        blob_properties made{true, status == "locked", metadata_of(*got)};
        metadata_[key] = made.metadata;
        return made;
    }
    [[nodiscard]] auto take_snapshot(std::string const& key) -> expected<void>
    {
        header_map headers;
        auto const got =
            send(key, "PUT", "?comp=snapshot", std::move(headers), http::redirections::none, std::string());
        if (!got) return got.error();
        // A blob that was removed, or locked by another process, is not written either.
        bool const is_left_to_the_write = is_not_found(*got) || got->status == 412 || is_about_other_lease(*got);
        if (got->status == 201 || is_left_to_the_write) return {};
        return failure_of(*got, key, "PUT");
    }
    [[nodiscard]] auto written(std::string const& key, std::string const& text, http::response const& got) const
        -> expected<write_reply>
    {
        std::string version = header_of(got, "Etag");
        if (version.empty()) return invalid(key, "PUT", "status 201 without an ETag");
        if (auto const sum = header_of(got, "Content-Md5"); !sum.empty() && sum != base64_md5(text))
            return make_failure(messages::remote_state_garbled, {place_of(key)});
        return write_reply{.version = std::move(version)};
    }

    // Sends a request about a blob, or about the container if the key is empty. The lease that this process holds is sent
    // with requests that write, so that the service refuses them after the lease was lost.
    [[nodiscard]] auto send(std::string const& key, std::string method, std::string const& query, header_map headers,
        http::redirections follows, std::optional<std::string> body = {}) -> expected<http::response>
    {
        auto const endpoint = account_.endpoint();
        if (!endpoint) return endpoint.error();
        http::request r;
        r.url = *endpoint + "/" + http::percent_encoded(with_.container)
            + (key.empty() ? std::string() : "/" + http::percent_encoded(key, "/")) + query;
        r.headers = std::move(headers);
        bool const is_lease = query == "?comp=lease";
        auto const held = leases_.find(key);
        bool const writes = method == "PUT" || method == "DELETE";
        if (writes && !is_lease && held != leases_.end()) r.headers.emplace("x-ms-lease-id", held->second);
        if (!key.empty() && method != "DELETE" && !is_lease) add_keys(r.headers, writes);
        if (body && !body->empty()) r.headers["Content-Type"] = "application/json";
        r.method = std::move(method);
        r.body = std::move(body);
        r.follows = follows;
        r.retries = with_.retries;
        r.timeout = with_.timeout;
        if (auto done = account_.authorize(r); !done) return done.error();
        auto got = client_.send(std::move(r));
        if (!got)
            return make_failure(
                messages::remote_state_unreachable, {place_of(key) + " (" + *endpoint + ")", got.reason()});
        return got;
    }
    void add_keys(header_map& headers, bool writes) const
    {
        if (!with_.customer_key.empty()) {
            headers["x-ms-encryption-key"] = base64(with_.customer_key);
            headers["x-ms-encryption-key-sha256"] = base64(digest(with_.customer_key, digest_kind::sha256));
            headers["x-ms-encryption-algorithm"] = "AES256";
        }
        if (writes && !with_.encryption_scope.empty()) headers["x-ms-encryption-scope"] = with_.encryption_scope;
    }
    [[nodiscard]] auto invalid(std::string const& key, std::string_view method, std::string_view what) const
        -> infra::failure
    {
        return invalid_response(place_of(key), method, what);
    }
    [[nodiscard]] auto failure_of(http::response const& got, std::string const& key, std::string const& method) const
        -> infra::failure
    {
        return refused_request(got, place_of(key), method, error_code_of(got),
            "Check the account, the container, and the rights of the credentials: to read and write blobs, and to "
            "lease "
            "them.");
    }

    azurerm_settings with_;
    azure_account account_;
    std::map<std::string, std::string> leases_;  // the ids of the leases that this process holds, by key
    std::map<std::string, header_map> metadata_;  // of each blob as it was read last; a write would remove it
    http::blocking_client client_;
};

}  // namespace

auto make_azure_blobs(azurerm_settings settings) -> std::shared_ptr<object_store>
{
    return std::make_shared<azure_blobs>(std::move(settings));
}

}  // namespace iacctl::backends
