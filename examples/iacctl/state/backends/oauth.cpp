// SPDX-License-Identifier: BSL-1.0
#include "oauth.hpp"

#include "base/characters.hpp"
#include "base/encoding.hpp"
#include "base/http/url.hpp"
#include "messages/backends.hpp"
#include "messages/report.hpp"
#include "state/state_error.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace iacctl::backends {

namespace {

template <class T, void (*Free)(T*)>
struct freed_by {
    void operator()(T* owned) const { Free(owned); }
};
using key_pointer = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY, EVP_PKEY_free>>;
using context_pointer = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX, EVP_MD_CTX_free>>;

auto read_private_key(std::string const& pem) -> key_pointer
{
    std::unique_ptr<BIO, freed_by<BIO, BIO_free_all>> const from(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    // A key with a passphrase is not read: the program does not ask for one.
    auto const no_passphrase = [](char*, int, int, void*) { return -1; };
    if (!from) return nullptr;
    return key_pointer(PEM_read_bio_PrivateKey(from.get(), nullptr, +no_passphrase, nullptr));
}

// One printable line of at most 300 characters.
auto shown_line(std::string_view text) -> std::string
{
    constexpr std::size_t longest = 300;
    text = text.substr(0, text.find_first_of("\r\n"));
    bool const is_plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    return std::string(is_plain ? text.substr(0, longest) : std::string_view());
}

auto seconds_of(json const& reply, std::string_view name) -> std::int64_t
{
    json const* const given = reply.find(name);
    if (given == nullptr) return 0;
    if (auto const number = given->integer()) return *number;
    // Some services send numbers as texts.
    auto const* const text = given->text();
    if (text == nullptr || !is_digits(*text) || text->size() > 12) return 0;
    return std::stoll(*text);
}

auto without_query(std::string_view url) -> std::string_view
{
    return url.substr(0, url.find('?'));
}

auto token_request(std::string method, std::string url) -> http::request
{
    using std::chrono::milliseconds;
    http::request r;
    r.method = std::move(method);
    r.url = std::move(url);
    r.headers["Accept"] = "application/json";
    r.retries = {3, milliseconds(200), milliseconds(5000), true};
    r.timeout = milliseconds(30'000);
    r.follows = http::redirections::same_origin;
    return r;
}

}  // namespace

auto form_text(form_fields const& fields) -> std::string
{
    std::string made;
    for (auto const& [name, value] : fields) {
        if (!made.empty()) made += '&';
        made.append(name).append("=").append(http::percent_encoded(value));
    }
    return made;
}

auto form_request(std::string url, form_fields const& fields) -> http::request
{
    auto r = token_request("POST", std::move(url));
    r.headers["Content-Type"] = "application/x-www-form-urlencoded";
    r.body = form_text(fields);
    return r;
}

auto json_request(std::string url, std::string json) -> http::request
{
    auto r = token_request("POST", std::move(url));
    r.headers["Content-Type"] = "application/json";
    r.body = std::move(json);
    return r;
}

auto token_get(std::string url) -> http::request
{
    return token_request("GET", std::move(url));
}

auto reported_error(http::response const& from) -> std::string
{
    auto const whole = parse_json(from.body);
    if (!whole) {
        auto const type = from.headers.find("Content-Type");
        bool const is_text = type != from.headers.end() && type->second.starts_with("text/plain");
        return is_text ? shown_line(from.body) : std::string();
    }
    if (auto text = shown_line(whole->text_of("error_description")); !text.empty()) return text;
    json const* const error = whole->find("error");
    if (error == nullptr) return shown_line(whole->text_of("message"));
    if (auto const* const text = error->text()) return shown_line(*text);
    return shown_line(error->text_of("message"));
}

auto token_failure(std::string_view backend, std::string_view url, std::string_view why) -> strider::infra::failure
{
    return state::make_failure(messages::access_token_refused, {backend, without_query(url), why});
}

auto fetch_json(http::blocking_client& client, http::request r, std::string_view backend) -> expected<json>
{
    std::string const url = r.url;
    auto const got = client.send(std::move(r));
    if (!got) return token_failure(backend, url, got.reason());
    if (got.status < 200 || got.status > 299) {
        auto const reported = reported_error(got);
        return token_failure(
            backend, url, "status " + std::to_string(got.status) + (reported.empty() ? "" : ", " + reported));
    }
    auto whole = parse_json(got.body);
    if (!whole || whole->members() == nullptr) return token_failure(backend, url, "the response is not a JSON object");
    return std::move(*whole);
}

auto fetch_token(http::blocking_client& client, http::request r, std::string_view backend) -> expected<access_token>
{
    std::string const url = r.url;
    auto const reply = fetch_json(client, std::move(r), backend);
    if (!reply) return reply.error();
    auto text = reply->text_of("access_token");
    if (text.empty()) return token_failure(backend, url, "the response contains no access token");
    return access_token::for_seconds(std::move(text), seconds_of(*reply, "expires_in"));
}

auto signed_web_token(std::string_view header, std::string_view claims, std::string const& key_pem)
    -> std::optional<std::string>
{
    auto const key = read_private_key(key_pem);
    if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) return std::nullopt;
    std::string const text = base64_url(header) + "." + base64_url(claims);
    context_pointer const context(EVP_MD_CTX_new());
    auto const* const bytes = reinterpret_cast<unsigned char const*>(text.data());
    std::size_t size = 0;
    bool const is_ready = context && EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1
        && EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
    if (!is_ready) return std::nullopt;
    std::string signature(size, '\0');
    if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size())
        != 1)
        return std::nullopt;
    signature.resize(size);
    return text + "." + base64_url(signature);
}

}  // namespace iacctl::backends
