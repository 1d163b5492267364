// SPDX-License-Identifier: BSL-1.0
#include "gcs_objects.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/random.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "object_response.hpp"
#include "redirection.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::backends {

using state::make_failure;

namespace {

using outcome = write_reply::outcome_type;

// The MD5 in a header such as "crc32c=n03x6A==,md5=Ojk9c3dhfxgoKVVHYwFbHQ=="; empty if there is none.
auto sent_md5(http::response const& got) -> std::string
{
    std::string const sums = header_of(got, "X-Goog-Hash");
    auto const begin = sums.find("md5=");
    if (begin == std::string::npos) return {};
    return sums.substr(begin + 4, sums.find(',', begin) - begin - 4);
}

// Returns whether a response is an error of the service, not of a proxy.
auto is_error_of_service(http::response const& got) -> bool
{
    auto const whole = parse_json(got.body);
    return whole && whole->find("error") != nullptr;
}

class gcs_objects final : public object_store {
public:
    explicit gcs_objects(gcs_settings settings) : with_(std::move(settings)), tokens_(with_.identity)
    {
        bucket_url_ = with_.endpoint + "b/" + http::percent_encoded(with_.bucket);
        auto const parsed = http::url::parse(with_.endpoint);
        upload_url_ = (parsed ? parsed->origin() : std::string()) + "/upload/storage/v1/b/"
            + http::percent_encoded(with_.bucket) + "/o";
    }

    [[nodiscard]] auto type() const noexcept -> std::string_view override { return "gcs"; }
    [[nodiscard]] auto place_of(std::string const& key) const -> std::string override
    {
        return place_at(key, with_.is_usual_endpoint ? std::string() : bucket_url_);
    }

    [[nodiscard]] auto get(std::string const& key, object_use use) -> expected<stored_object> override
    {
        auto const follows = use == object_use::lock ? http::redirections::none : http::redirections::secure;
        auto got = send("GET", url_of(key) + "?alt=media", follows, {}, key_headers(use));
        if (!got) return got.error();
        if (got->status == 404) return absent(key);
        if (got->status != 200) return failure_of(*got, key, "GET");
        std::string version = header_of(*got, "X-Goog-Generation");
        if (!is_digits(version)) return invalid(key, "GET", "status 200 without a generation");
        if (auto const sum = sent_md5(*got); !sum.empty() && sum != base64_md5(got->body))
            return make_failure(messages::remote_state_garbled, {place_of(key)});
        stored_object made{std::nullopt, std::move(version)};
        if (!got->body.empty()) made.text = std::move(got->body);
        return made;
    }
    [[nodiscard]] auto put(std::string const& key, object_use use, std::string const& text,
        write_condition const& only_if) -> expected<write_reply> override
    {
        std::string url = upload_url_ + "?uploadType=multipart";
        if (!only_if.is_any()) url += "&ifGenerationMatch=" + (only_if.is_absent() ? "0" : only_if.version());
        if (use == object_use::document && !with_.kms_key_name.empty())
            url += "&kmsKeyName=" + http::percent_encoded(with_.kms_key_name);
        std::string const boundary = random_hex(32);
        auto headers = key_headers(use);
        headers["Content-Type"] = "multipart/related; boundary=" + boundary;
        auto const got = send("POST", url, http::redirections::none, multipart(key, text, boundary), headers);
        if (!got) return got.error();
        if (got->status == 412)
            return write_reply{.outcome = outcome::refused, .reason = "status 412 " + reported_error(*got)};
        if (got->status != 200) return failure_of(*got, key, "POST");
        auto const written = parse_json(got->body);
        std::string version = written ? written->text_of("generation") : std::string();
        if (!is_digits(version)) return invalid(key, "POST", "status 200 without a generation");
        if (auto const sum = written->text_of("md5Hash"); !sum.empty() && sum != base64_md5(text))
            return make_failure(messages::remote_state_garbled, {place_of(key)});
        return write_reply{.version = std::move(version)};
    }
    [[nodiscard]] auto remove(std::string const& key, object_use use, std::string const& version)
        -> expected<void> override
    {
        std::string const condition = version.empty() ? std::string() : "?ifGenerationMatch=" + version;
        auto const got =
            send("DELETE", url_of(key) + condition, http::redirections::none, {}, {}, use == object_use::lock);
        if (!got) return got.error();
        // 412: this version was removed before.
        bool const is_gone = got->status == 200 || got->status == 204 || got->status == 412
            || (got->status == 404 && is_error_of_service(*got));
        if (is_gone) return {};
        return failure_of(*got, key, "DELETE");
    }
    [[nodiscard]] auto list(std::string const& prefix) -> expected<std::vector<std::string>> override
    {
        std::vector<std::string> all;
        std::string token;
        do {
            std::string url = bucket_url_
                + "/o?delimiter=%2F&fields=items(name),nextPageToken&prefix=" + http::percent_encoded(prefix);
            if (!token.empty()) url += "&pageToken=" + http::percent_encoded(token);
            auto const got = send("GET", url, http::redirections::secure);
            if (!got) return got.error();
            if (got->status != 200) return failure_of(*got, prefix, "GET");
            auto const page = parse_json(got->body);
            if (!page || page->members() == nullptr) return invalid(prefix, "GET", "a list that is not JSON");
            json const* const items = page->find("items");
            if (items != nullptr && items->elements() != nullptr)
                for (json const& one : *items->elements()) all.push_back(one.text_of("name"));
            token = page->text_of("nextPageToken");
        } while (!token.empty());
        return all;
    }

private:
    [[nodiscard]] auto url_of(std::string const& key) const -> std::string
    {
        return bucket_url_ + "/o/" + http::percent_encoded(key);
    }
    [[nodiscard]] auto place_at(std::string const& key, std::string const& url) const -> std::string
    {
        return "gs://" + with_.bucket + "/" + key + (url.empty() ? std::string() : " (" + url + ")");
    }
    // Locks are not encrypted with the key of the customer, as with Terraform.
    [[nodiscard]] auto key_headers(object_use use) const -> std::map<std::string, std::string>
    {
        if (use == object_use::lock || with_.encryption_key.empty()) return {};
        return {{"X-Goog-Encryption-Algorithm", "AES256"}, {"X-Goog-Encryption-Key", base64(with_.encryption_key)},
            {"X-Goog-Encryption-Key-Sha256", base64(digest(with_.encryption_key, digest_kind::sha256))}};
    }
    // The body of an upload: a description with the checksum that the service compares, and the text.
    [[nodiscard]] static auto multipart(std::string const& key, std::string const& text, std::string const& boundary)
        -> std::string
    {
        std::string const about = json_object()
                                      .text("name", key)
                                      .text("contentType", "application/json")
                                      .text("md5Hash", base64_md5(text))
                                      .done();
        return "--" + boundary + "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" + about + "\r\n--"
            + boundary + "\r\nContent-Type: application/json\r\n\r\n" + text + "\r\n--" + boundary + "--\r\n";
    }
    // A response with the status 404 may be that of a proxy, and the bucket may be missing: the list of the bucket shows
    // whether there is no such object.
    [[nodiscard]] auto absent(std::string const& key) -> expected<stored_object>
    {
        auto const names = list(key);
        if (!names) return names.error();
        for (std::string const& one : *names)
            if (one == key) return invalid(key, "GET", "status 404 for an object that exists");
        return stored_object();
    }

    [[nodiscard]] auto send(std::string method, std::string url, http::redirections follows,
        std::optional<std::string> body = {}, std::map<std::string, std::string> headers = {}, bool only_once = false)
        -> expected<http::response>
    {
        auto const token = tokens_.token();
        if (!token) return token.error();
        http::request r;
        r.method = std::move(method);
        r.url = std::move(url);
        r.headers = std::move(headers);
        if (!token->empty()) r.headers["Authorization"] = "Bearer " + *token;
        r.body = std::move(body);
        r.follows = follows;
        r.retries = with_.retries;
        if (only_once) r.retries = {0, {}, {}, false};
        auto got = client_.send(std::move(r));
        if (!got) return make_failure(messages::remote_state_unreachable, {place_at("", bucket_url_), got.reason()});
        return got;
    }
    [[nodiscard]] auto invalid(std::string const& key, std::string_view method, std::string_view what) const
        -> infra::failure
    {
        return invalid_response(place_of(key), method, what);
    }
    [[nodiscard]] auto failure_of(http::response const& got, std::string const& key, std::string const& method) const
        -> infra::failure
    {
        return refused_request(got, place_of(key), method, reported_error(got),
            "Check the bucket, and whether its users include the account of the credentials.");
    }

    gcs_settings with_;
    google_tokens tokens_;
    std::string bucket_url_;
    std::string upload_url_;
    http::blocking_client client_;
};

}  // namespace

auto make_gcs_objects(gcs_settings settings) -> std::shared_ptr<object_store>
{
    return std::make_shared<gcs_objects>(std::move(settings));
}

}  // namespace iacctl::backends
