// SPDX-License-Identifier: BSL-1.0
#include "aes_gcm.hpp"
#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "key_provider.hpp"
#include "messages/encryption.hpp"
#include "messages/report.hpp"

#include <openssl/evp.h>

#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

namespace iacctl::encryption {

namespace {

auto failed(std::string const& name, std::string_view why) -> infra::failure
{
    return infra::failure(messages::make_error(messages::key_provider_failed, {name, why}));
}

// The keys of this process. Keys for encryption are found by the settings of a provider, those for decryption also by
// metadata.
class key_cache {
public:
    [[nodiscard]] auto find(std::string const& by) -> std::optional<provided_key>
    {
        std::scoped_lock const guard(mutex_);
        auto const found = keys_.find(by);
        return found == keys_.end() ? std::nullopt : std::optional(found->second);
    }
    void put(std::string const& by, provided_key const& key)
    {
        std::scoped_lock const guard(mutex_);
        keys_.try_emplace(by, key);
    }

    [[nodiscard]] static auto of_process() -> key_cache&
    {
        static key_cache all;
        return all;
    }
    // A name derived from secrets that does not reveal them.
    [[nodiscard]] static auto name_of(std::initializer_list<std::string_view> parts) -> std::string
    {
        std::string all;
        for (std::string_view const part : parts) all += std::to_string(part.size()) + ':' + std::string(part);
        std::string name = digest(all, digest_kind::sha256);
        erase(all);
        return name;
    }

private:
    std::mutex mutex_;
    std::map<std::string, provided_key> keys_;
};

class pbkdf2 final : public key_provider {
public:
    pbkdf2(std::string name, pbkdf2_settings settings) : key_provider(std::move(name)), with_(std::move(settings)) {}
    pbkdf2(pbkdf2 const&) = delete;
    auto operator=(pbkdf2 const&) -> pbkdf2& = delete;
    ~pbkdf2() override { erase(with_.passphrase); }

    auto key_to_seal() -> expected<provided_key> override
    {
        if (auto known = key_cache::of_process().find(usual_name())) return *known;
        auto const made = derive({random_bytes(with_.salt_length), with_.iterations, with_.key_length, with_.hash});
        key_cache::of_process().put(usual_name(), made);
        return made;
    }
    auto key_to_open(std::string_view metadata, metadata_source const& = {}) -> expected<std::string> override
    {
        auto const document = parse_json(metadata);
        auto const parameters = document ? read(*document) : std::nullopt;
        if (!parameters) return failed(name(), "the parameters that are stored with the data cannot be read");
        return derive(*parameters).key;
    }
    void confirm(std::string_view metadata, metadata_source const& = {}) override
    {
        auto const document = parse_json(metadata);
        auto const of = document ? read(*document) : std::nullopt;
        bool const as_set = of && of->iterations == with_.iterations && of->key_length == with_.key_length
            && of->hash == with_.hash && of->salt.size() == with_.salt_length;
        if (as_set) key_cache::of_process().put(usual_name(), derive(*of));
    }

private:
    struct parameter_set {
        std::string salt;
        std::uint32_t iterations;
        std::uint32_t key_length;
        pbkdf2_settings::hash_type hash;

        [[nodiscard]] auto text() const -> std::string
        {
            return "{\"salt\":\"" + base64(salt) + "\",\"iterations\":" + std::to_string(iterations)
                + ",\"hash_function\":\"" + (hash == pbkdf2_settings::hash_type::sha256 ? "sha256" : "sha512")
                + "\",\"key_length\":" + std::to_string(key_length) + "}";
        }
    };

    static auto read(json const& from) -> std::optional<parameter_set>
    {
        // More would take minutes, and is certainly a mistake.
        constexpr std::uint64_t most_iterations = 100'000'000;
        json const* const salt = from.find("salt");
        json const* const iterations = from.find("iterations");
        json const* const length = from.find("key_length");
        json const* const hash = from.find("hash_function");
        if (salt == nullptr || salt->text() == nullptr || iterations == nullptr || length == nullptr || hash == nullptr
            || hash->text() == nullptr)
            return std::nullopt;
        auto bytes = from_base64(*salt->text());
        auto const count = iterations->natural().value_or(0);
        auto const size = length->natural().value_or(0);
        bool const is_sha256 = *hash->text() == "sha256";
        if (!bytes || bytes->empty() || count == 0 || count > most_iterations || !aes_gcm::is_key_size(size)
            || (!is_sha256 && *hash->text() != "sha512"))
            return std::nullopt;
        return parameter_set{std::move(*bytes), static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(size),
            is_sha256 ? pbkdf2_settings::hash_type::sha256 : pbkdf2_settings::hash_type::sha512};
    }
    [[nodiscard]] auto usual_name() const -> std::string
    {
        parameter_set const all{{}, with_.iterations, with_.key_length, with_.hash};
        return key_cache::name_of({"pbkdf2", with_.passphrase, all.text(), std::to_string(with_.salt_length)});
    }
    auto derive(parameter_set const& set) -> provided_key
    {
        std::string const text = set.text();
        std::string const by = key_cache::name_of({"pbkdf2", with_.passphrase, text});
        auto known = key_cache::of_process().find(by);
        if (!known) {
            known = provided_key{std::string(set.key_length, '\0'), text};
            bool const is_sha256 = set.hash == pbkdf2_settings::hash_type::sha256;
            int const done = PKCS5_PBKDF2_HMAC(with_.passphrase.data(), static_cast<int>(with_.passphrase.size()),
                reinterpret_cast<unsigned char const*>(set.salt.data()), static_cast<int>(set.salt.size()),
                static_cast<int>(set.iterations), is_sha256 ? EVP_sha256() : EVP_sha512(),
                static_cast<int>(set.key_length), reinterpret_cast<unsigned char*>(known->key.data()));
            if (done != 1) throw std::bad_alloc();
            key_cache::of_process().put(by, *known);
        }
        return *known;
    }

    pbkdf2_settings with_;
};

class chained_pbkdf2 final : public key_provider {
public:
    chained_pbkdf2(std::string name, pbkdf2_settings settings, std::shared_ptr<key_provider> chain)
        : key_provider(std::move(name)),
          with_(std::move(settings)),
          chain_(std::move(chain))
    {}

    auto key_to_seal() -> expected<provided_key> override
    {
        auto given = chain_->key_to_seal();
        if (!given) return given.error();
        auto made = of_passphrase(std::move(given->key)).key_to_seal();
        if (!made) return made;
        made->others = std::move(given->others);
        made->others.emplace_back(chain_->name(), std::move(given->metadata));
        return made;
    }
    auto key_to_open(std::string_view metadata, metadata_source const& others) -> expected<std::string> override
    {
        auto given = passphrase_of(others);
        if (!given) return given.error();
        return of_passphrase(std::move(*given)).key_to_open(metadata);
    }
    void confirm(std::string_view metadata, metadata_source const& others) override
    {
        auto given = passphrase_of(others);
        if (!given) return;
        chain_->confirm(*others(chain_->name()), others);
        of_passphrase(std::move(*given)).confirm(metadata);
    }
    auto other_names() const -> std::vector<std::string> override { return chain_->all_names(); }

private:
    auto of_passphrase(std::string passphrase) const -> pbkdf2
    {
        auto with = with_;
        with.passphrase = std::move(passphrase);
        return pbkdf2(name(), std::move(with));
    }
    auto passphrase_of(metadata_source const& others) -> expected<std::string>
    {
        auto const metadata = others ? others(chain_->name()) : std::nullopt;
        if (!metadata) return infra::failure(messages::make_error(messages::key_metadata_missing, {chain_->name()}));
        return chain_->key_to_open(*metadata, others);
    }

    pbkdf2_settings with_;  // without the passphrase
    std::shared_ptr<key_provider> chain_;
};

class external final : public key_provider {
public:
    external(std::string name, std::vector<std::string> words, program_runner run)
        : key_provider(std::move(name)),
          words_(std::move(words)),
          run_(std::move(run))
    {
        for (std::string const& word : words_) by_ += std::to_string(word.size()) + ':' + word;
    }

    auto key_to_seal() -> expected<provided_key> override { return ask("null", "encryption_key"); }
    auto key_to_open(std::string_view metadata, metadata_source const& = {}) -> expected<std::string> override
    {
        auto const known = ask(std::string(metadata), "decryption_key");
        if (!known) return known.error();
        return known->key;
    }

private:
    auto ask(std::string const& input, std::string_view desired) -> expected<provided_key>
    {
        std::string const by = key_cache::name_of({"external", by_, input, desired});
        if (auto known = key_cache::of_process().find(by)) return *known;
        auto said = run_(words_, input);
        if (!said) {
            infra::diagnostics why{messages::make_error(
                messages::key_provider_failed, {name(), "the program " + words_.front() + " returned no key"})};
            why.add(said.error().why());
            return infra::failure(std::move(why));
        }
        auto made = read(*said, desired);
        erase(*said);
        if (made) key_cache::of_process().put(by, *made);
        return made;
    }
    // Reads a line that names the protocol, then a document with the keys.
    auto read(std::string_view said, std::string_view desired) -> expected<provided_key>
    {
        auto const end = said.find('\n');
        auto const header = parse_json(end == said.npos ? std::string_view() : said.substr(0, end));
        json const* const magic = header ? header->find("magic") : nullptr;
        json const* const version = header ? header->find("version") : nullptr;
        if (magic == nullptr || magic->text() == nullptr || *magic->text() != "OpenTofu-External-Key-Provider"
            || version == nullptr || version->natural() != std::uint64_t{1})
            return failed(name(), "the program does not support version 1 of the protocol for external key providers");
        auto const document = parse_json(said.substr(end + 1));
        json const* const keys = document ? document->find("keys") : nullptr;
        json const* const key = keys == nullptr ? nullptr : keys->find(desired);
        if (key == nullptr || key->text() == nullptr)
            return failed(name(), "the program printed no " + std::string(desired));
        auto decoded = from_base64(*key->text());
        if (!decoded || !aes_gcm::is_key_size(decoded->size()))
            return failed(name(), "the key from the program is not 16, 24 or 32 bytes in base64");
        json const* const metadata = document->find("meta");
        return provided_key{std::move(*decoded), metadata == nullptr ? "{}" : compact_text(*metadata)};
    }

    std::vector<std::string> words_;
    program_runner run_;
    std::string by_;
};

class key_file final : public key_provider {
public:
    key_file(std::string name, std::filesystem::path file) : key_provider(std::move(name)), file_(std::move(file)) {}

    auto key_to_seal() -> expected<provided_key> override
    {
        auto const key = key_to_open({});
        if (!key) return key.error();
        return provided_key{*key, "{}"};
    }
    auto key_to_open(std::string_view, metadata_source const& = {}) -> expected<std::string> override
    {
        constexpr std::size_t size = 32;
        auto text = read_input(file_);
        if (!text) return failed(name(), file_.string() + ": " + text.error().message());
        if (text->size() == size) return std::move(*text);
        while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
        std::string key;
        for (std::size_t i = 0; i + 1 < text->size() && text->size() == 2 * size; i += 2) {
            int const high = hex_digit((*text)[i]);
            int const low = hex_digit((*text)[i + 1]);
            if (high < 0 || low < 0) break;
            key.push_back(static_cast<char>(high * 16 + low));
        }
        erase(*text);
        if (key.size() != size)
            return failed(name(), file_.string() + " contains neither 32 bytes nor 64 hexadecimal digits");
        return key;
    }

private:
    std::filesystem::path file_;
};

}  // namespace

auto make_pbkdf2(std::string name, pbkdf2_settings settings) -> std::shared_ptr<key_provider>
{
    return std::make_shared<pbkdf2>(std::move(name), std::move(settings));
}

auto make_chained_pbkdf2(std::string name, pbkdf2_settings settings, std::shared_ptr<key_provider> chain)
    -> std::shared_ptr<key_provider>
{
    return std::make_shared<chained_pbkdf2>(std::move(name), std::move(settings), std::move(chain));
}

auto make_external(std::string name, std::vector<std::string> words, program_runner run)
    -> std::shared_ptr<key_provider>
{
    return std::make_shared<external>(std::move(name), std::move(words), std::move(run));
}

auto make_key_file(std::string name, std::filesystem::path file) -> std::shared_ptr<key_provider>
{
    return std::make_shared<key_file>(std::move(name), std::move(file));
}

}  // namespace iacctl::encryption
