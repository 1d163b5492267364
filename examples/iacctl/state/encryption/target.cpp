// SPDX-License-Identifier: BSL-1.0
#include "target.hpp"

#include "base/encoding.hpp"
#include "base/json.hpp"
#include "messages/encryption.hpp"
#include "messages/report.hpp"

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
    // Most texts are not sealed: a search is cheaper than a parse.
    if (text.find("\"encryption_version\"") == std::string_view::npos) return std::nullopt;
    auto const whole = parse_json(text);
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

// The metadata of the provider with a name.
auto metadata_in(std::string_view all, std::string_view name) -> std::optional<std::string>
{
    auto const parsed = parse_json(all);
    json const* const own = parsed ? parsed->find(name) : nullptr;
    return own == nullptr || own->text() == nullptr ? std::nullopt : from_base64(*own->text());
}
auto metadata_of(std::string_view all) -> metadata_source
{
    return [text = std::string(all)](std::string_view name) { return metadata_in(text, name); };
}

// The JSON object with the metadata of a provider and of those on which it depends. `provider` is null if there is no
// provider.
auto metadata_text(key_provider const* provider, provided_key const& made) -> std::string
{
    std::string text = "{";
    auto const add = [&](std::string const& name, std::string const& metadata) {
        if (text.size() > 1) text += ',';
        append_json_string(text, name);
        text += ":\"" + base64(metadata) + '"';
    };
    if (provider != nullptr) add(provider->name(), made.metadata);
    for (auto const& [name, metadata] : made.others) add(name, metadata);
    return text + '}';
}

}  // namespace

auto target::accepts_unencrypted() const noexcept -> bool
{
    return std::ranges::any_of(methods_, [](method const& m) { return !m.encrypts(); });
}

auto target::has_keys() const noexcept -> bool
{
    return std::ranges::any_of(methods_, [](method const& m) { return m.encrypts(); });
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
    ready.metadata = metadata_text(first.keys.get(), *key);
    ready.cipher.emplace(std::move(key->key));
    return ready;
}

void target::confirm(method const& m, std::string_view metadata)
{
    if (auto const text = metadata_in(metadata, m.keys->name())) m.keys->confirm(*text, metadata_of(metadata));
}

auto target::prepare(method const& m, std::string_view metadata) const -> expected<ready_method>
{
    auto const text = metadata_in(metadata, m.keys->name());
    if (!text) return infra::failure(messages::make_error(messages::key_metadata_missing, {m.keys->name()}));
    auto key = m.keys->key_to_open(*text, metadata_of(metadata));
    if (!key) return key.error();
    ready_method ready{m, std::nullopt, std::string(metadata), &m == &methods_.front()};
    ready.cipher.emplace(std::move(*key));
    return ready;
}

auto target::unknown_key(std::string_view subject, std::string const& attempts) const -> infra::failure
{
    if (attempts.empty())
        return infra::failure(messages::make_error(messages::encryption_not_configured, {subject, name_}));
    return infra::failure(messages::make_error(messages::decryption_failed, {subject, attempts}));
}

auto target::not_encrypted(std::string_view subject) const -> infra::failure
{
    return infra::failure(
        messages::make_error(messages::data_not_encrypted, {subject, methods_.front().address, name_}));
}

auto target::seal(std::string text, std::string_view clear) const -> expected<std::string>
{
    if (!encrypts()) return text;
    method const& first = methods_.front();
    std::string metadata;
    std::string data;
    if (first.program != nullptr) {
        auto made = first.program->seal(text);
        if (!made) return made.error();
        metadata = metadata_text(first.program->keys().get(), *made);
        data = std::move(made->key);
    } else {
        auto const ready = to_seal();
        if (!ready) return ready.error();
        metadata = ready->metadata;
        data = ready->cipher->seal(text, ready->of.associated);
    }
    std::string document = "{" + std::string(clear) + "\"meta\":" + metadata + ",\"encrypted_data\":\"";
    document += base64(data);
    document += "\",\"encryption_version\":\"" + std::string(version) + "\"}";
    erase(text);
    return document;
}

auto target::open(std::string text, std::string_view subject) const -> expected<std::string>
{
    auto const sealed = read_sealed(text);
    if (!sealed) {
        if (!accepts_unencrypted()) return not_encrypted(subject);
        return text;
    }
    if (sealed->version != version)
        return infra::failure(messages::make_error(messages::encryption_version_unknown, {subject, sealed->version}));
    std::string attempts;
    for (method const& one : methods_) {
        if (!one.encrypts()) continue;
        auto opened = open_with(one, sealed->data, sealed->metadata);
        if (opened) return opened;
        attempts += "\n  - " + one.address + ": " + reason(opened.error());
    }
    return unknown_key(subject, attempts);
}

auto target::open_with(method const& m, std::string const& data, std::string_view metadata) const
    -> expected<std::string>
{
    if (m.program != nullptr) return m.program->open(data, metadata_of(metadata));
    auto const ready = prepare(m, metadata);
    if (!ready) return ready.error();
    auto opened = ready->cipher->open(data, m.associated);
    if (!opened) return infra::failure(messages::make_error(messages::key_does_not_fit));
    confirm(m, metadata);
    return std::move(*opened);
}

auto is_sealed(std::string_view text) -> bool
{
    return read_sealed(text).has_value();
}

namespace {

// The address of a data source, or of its instance, as the block "remote_state_data_source" names it.
auto name_of_remote_state(infra::address const& a) -> std::string
{
    static constexpr std::string_view outermost = "module.";
    std::string name = a.module().empty() ? std::string() : to_string(a.module()) + '.';
    if (name.starts_with(outermost)) name.erase(0, outermost.size());
    return name + a.name() + to_string(a.key());
}

}  // namespace

auto targets::of_remote_state(infra::address const& a) const -> target const&
{
    for (auto const& name : {name_of_remote_state(a), name_of_remote_state(a.config())})
        if (auto const found = remote_states.find(name); found != remote_states.end()) return found->second;
    return remote_state;
}

auto targets::has_keys() const noexcept -> bool
{
    return state.has_keys() || plan.has_keys() || remote_state.has_keys()
        || std::ranges::any_of(remote_states, [](auto const& item) { return item.second.has_keys(); });
}

}  // namespace iacctl::encryption
