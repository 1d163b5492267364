// SPDX-License-Identifier: BSL-1.0
#include "target.hpp"

#include "messages/encryption.hpp"
#include "messages/report.hpp"
#include "support/encoding.hpp"
#include "support/json.hpp"

#include <algorithm>

namespace iacctl::encryption {

namespace {

constexpr std::string_view version = "v0";

// The members of a sealed document; nothing for other texts.
struct sealed_members {
    std::string metadata;
    std::string data;
    std::string version;
};

auto read_sealed(std::string_view text) -> std::optional<sealed_members>
{
    // Most texts are not: a search is cheaper than reading all of it.
    if (text.find("\"encryption_version\"") == std::string_view::npos) return std::nullopt;
    std::string why;
    auto const whole = parse_json(text, why);
    json const* const names = whole ? whole->find("encryption_version") : nullptr;
    if (names == nullptr || names->text() == nullptr || names->text()->empty()) return std::nullopt;
    json const* const metadata = whole->find("meta");
    json const* const data = whole->find("encrypted_data");
    sealed_members found;
    found.version = *names->text();
    if (metadata != nullptr) found.metadata = compact_text(*metadata);
    if (data != nullptr && data->text() != nullptr) found.data = from_base64(*data->text()).value_or(std::string());
    return found;
}

// Those that the provider of a method has written.
auto own_metadata(method const& of, std::string_view metadata) -> std::optional<std::string>
{
    std::string why;
    auto const all = parse_json(metadata, why);
    json const* const own = all ? all->find(of.keys->name()) : nullptr;
    return own == nullptr || own->text() == nullptr ? std::nullopt : from_base64(*own->text());
}

}  // namespace

auto target::accepts_unencrypted() const noexcept -> bool
{
    return std::ranges::any_of(methods_, [](method const& one) { return !one.encrypts(); });
}

auto target::has_keys() const noexcept -> bool
{
    return std::ranges::any_of(methods_, [](method const& one) { return one.encrypts(); });
}

auto target::reason(infra::failure const& why) -> std::string
{
    std::string text;
    for (infra::diagnostic const& one : why.why()) text += (text.empty() ? "" : " ") + one.detail;
    return text;
}

auto target::to_seal() const -> expected<ready_method>
{
    method const& first = methods_.front();
    ready_method ready{first, std::nullopt, "{}", true};
    if (!first.encrypts()) return ready;
    auto key = first.keys->key_to_seal();
    if (!key) return key.error();
    ready.metadata = "{";
    append_json_string(ready.metadata, first.keys->name());
    ready.metadata += ":\"" + base64(key->metadata) + "\"}";
    ready.cipher.emplace(std::move(key->key));
    return ready;
}

void target::confirm(method const& one, std::string_view metadata)
{
    if (auto const text = own_metadata(one, metadata)) one.keys->confirm(*text);
}

auto target::prepare(method const& one, std::string_view metadata) const -> expected<ready_method>
{
    auto const text = own_metadata(one, metadata);
    if (!text) return infra::failure(messages::make_error(messages::key_metadata_missing, {one.keys->name()}));
    auto key = one.keys->key_to_open(*text);
    if (!key) return key.error();
    ready_method ready{one, std::nullopt, std::string(metadata), &one == &methods_.front()};
    ready.cipher.emplace(std::move(*key));
    return ready;
}

auto target::unknown_key(std::string_view what, std::string const& attempts) const -> infra::failure
{
    if (attempts.empty())
        return infra::failure(messages::make_error(messages::encryption_not_configured, {what, name_}));
    return infra::failure(messages::make_error(messages::decryption_failed, {what, attempts}));
}

auto target::not_encrypted(std::string_view what) const -> infra::failure
{
    return infra::failure(messages::make_error(messages::data_not_encrypted, {what, methods_.front().address, name_}));
}

auto target::seal(std::string text, std::string_view clear) const -> expected<std::string>
{
    if (!encrypts()) return text;
    auto const ready = to_seal();
    if (!ready) return ready.error();
    std::string document = "{" + std::string(clear) + "\"meta\":" + ready->metadata + ",\"encrypted_data\":\"";
    document += base64(ready->cipher->seal(text, ready->of.associated));
    document += "\",\"encryption_version\":\"" + std::string(version) + "\"}";
    erase(text);
    return document;
}

auto target::open(std::string text, std::string_view what) const -> expected<std::string>
{
    auto const sealed = read_sealed(text);
    if (!sealed) {
        if (!accepts_unencrypted()) return not_encrypted(what);
        return text;
    }
    if (sealed->version != version)
        return infra::failure(messages::make_error(messages::encryption_version_unknown, {what, sealed->version}));
    std::optional<std::string> opened;
    auto const ready = to_open(sealed->metadata, what, [&](ready_method const& one) {
        opened = one.cipher->open(sealed->data, one.of.associated);
        return opened.has_value();
    });
    if (!ready) return ready.error();
    return std::move(*opened);
}

auto is_sealed(std::string_view text) -> bool
{
    return read_sealed(text).has_value();
}

auto targets::has_keys() const noexcept -> bool
{
    return state.has_keys() || plan.has_keys() || remote_state.has_keys()
        || std::ranges::any_of(remote_states, [](auto const& one) { return one.second.has_keys(); });
}

}  // namespace iacctl::encryption
