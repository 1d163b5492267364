// SPDX-License-Identifier: BSL-1.0
#include "method_program.hpp"

#include "aes_gcm.hpp"
#include "base/encoding.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "messages/encryption.hpp"
#include "messages/report.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace iacctl::encryption {

namespace {

auto method_failed(std::string const& name, std::string_view why) -> infra::failure
{
    return infra::failure(messages::make_error(messages::method_program_failed, {name, why}));
}

// The key is wrapped once for each method of a process, so that a rescue copy does not need the program.
class wrapped_key final : public key_provider {
public:
    explicit wrapped_key(std::shared_ptr<method_program const> by) : key_provider(by->name()), by_(std::move(by)) {}

    auto key_to_seal() -> expected<provided_key> override
    {
        std::scoped_lock const guard(lock_);
        if (made_) return *made_;
        constexpr std::size_t size = 32;
        std::string key = random_bytes(size);
        auto sealed = by_->seal(key);
        if (!sealed) return sealed.error();
        provided_key made{std::move(key), "{\"key\":\"" + base64(sealed->key) + "\"}", std::move(sealed->others)};
        if (by_->keys() != nullptr) made.others.emplace_back(by_->keys()->name(), std::move(sealed->metadata));
        made_ = made;
        return made;
    }
    auto key_to_open(std::string_view metadata, metadata_source const& others) -> expected<std::string> override
    {
        std::scoped_lock const guard(lock_);
        if (made_ && made_->metadata == metadata) return made_->key;
        if (auto const found = opened_.find(std::string(metadata)); found != opened_.end()) return found->second;
        auto const document = parse_json(metadata);
        json const* const text = document ? document->find("key") : nullptr;
        auto const data = text == nullptr || text->text() == nullptr ? std::nullopt : from_base64(*text->text());
        if (!data) return method_failed(name(), "the key that is stored with the data cannot be read");
        auto key = by_->open(*data, others);
        if (!key) return key.error();
        if (key->size() != 32) return method_failed(name(), "the program did not return the key that it had encrypted");
        opened_.emplace(metadata, *key);
        return key;
    }
    // The key that has decrypted data also encrypts, so that the key of state does not change with each command.
    void confirm(std::string_view metadata, metadata_source const& others) override
    {
        std::scoped_lock const guard(lock_);
        auto const found = opened_.find(std::string(metadata));
        if (made_ || found == opened_.end()) return;
        provided_key made{found->second, std::string(metadata)};
        for (std::string const& one : other_names())
            if (auto of = others ? others(one) : std::nullopt) made.others.emplace_back(one, std::move(*of));
        made_ = std::move(made);
    }
    auto other_names() const -> std::vector<std::string> override
    {
        return by_->keys() == nullptr ? std::vector<std::string>() : by_->keys()->all_names();
    }

private:
    std::shared_ptr<method_program const> by_;
    std::mutex lock_;
    std::optional<provided_key> made_;
    std::map<std::string, std::string> opened_;  // keys by metadata
};

}  // namespace

auto method_program::seal(std::string_view text) const -> expected<provided_key>
{
    provided_key made;
    if (keys_ != nullptr) {
        auto key = keys_->key_to_seal();
        if (!key) return key.error();
        made = std::move(*key);
    }
    auto data = run(to_seal_, made.key, text);
    erase(made.key);
    if (!data) return data.error();
    made.key = std::move(*data);
    return made;
}

auto method_program::open(std::string_view data, metadata_source const& all) const -> expected<std::string>
{
    std::string key;
    if (keys_ != nullptr) {
        auto const metadata = all ? all(keys_->name()) : std::nullopt;
        if (!metadata) return infra::failure(messages::make_error(messages::key_metadata_missing, {keys_->name()}));
        auto given = keys_->key_to_open(*metadata, all);
        if (!given) return given.error();
        key = std::move(*given);
    }
    auto text = run(to_open_, key, data);
    erase(key);
    return text;
}

// The program writes a line that names the protocol, reads a document, and writes another one.
auto method_program::run(std::vector<std::string> const& words, std::string_view key, std::string_view payload) const
    -> expected<std::string>
{
    std::string input = "{";
    if (!key.empty()) input += "\"key\":\"" + base64(key) + "\",";
    input += "\"payload\":\"" + base64(payload) + "\"}";
    auto said = run_(words, input);
    erase(input);
    if (!said) {
        infra::diagnostics why = method_failed(name_, "the program " + words.front() + " returned no data").why();
        why.add(said.error().why());
        return infra::failure(std::move(why));
    }
    auto const end = said->find('\n');
    auto const header = parse_json(end == said->npos ? std::string_view() : std::string_view(*said).substr(0, end));
    json const* const magic = header ? header->find("magic") : nullptr;
    json const* const version = header ? header->find("version") : nullptr;
    if (magic == nullptr || magic->text() == nullptr || *magic->text() != "OpenTofu-External-Encryption-Method"
        || version == nullptr || version->natural() != std::uint64_t{1})
        return method_failed(name_, "the program does not support version 1 of the protocol for external methods");
    auto const document = parse_json(std::string_view(*said).substr(end + 1));
    json const* const made = document ? document->find("payload") : nullptr;
    auto decoded = made == nullptr || made->text() == nullptr ? std::nullopt : from_base64(*made->text());
    erase(*said);
    if (!decoded) return method_failed(name_, "the program printed no payload in base64");
    return std::move(*decoded);
}

auto make_wrapped_key(std::shared_ptr<method_program const> by) -> std::shared_ptr<key_provider>
{
    return std::make_shared<wrapped_key>(std::move(by));
}

}  // namespace iacctl::encryption
