// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_ENCRYPTION_KEY_PROVIDER_HPP
#define IACCTL_STATE_ENCRYPTION_KEY_PROVIDER_HPP

#include "base/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::encryption {

namespace infra = strider::infra;

/// A key, and metadata to be stored in plain text beside the encrypted data, from which the same provider returns the
/// key again.
struct provided_key {
    std::string key;
    std::string metadata;  ///< JSON
    /// The metadata of the providers on which this one depends, by name. They are stored as well.
    std::vector<std::pair<std::string, std::string>> others{};
};

/// Metadata beside the data, by the name of a provider.
using metadata_source = std::function<std::optional<std::string>(std::string_view name)>;

/// A source of keys, as configured by a block `key_provider`.
///
/// Each key is obtained once per process, so that a later rescue copy does not depend on another slow or failing
/// derivation or request.
class key_provider {
public:
    explicit key_provider(std::string name) : name_(std::move(name)) {}
    key_provider(key_provider const&) = delete;
    auto operator=(key_provider const&) -> key_provider& = delete;
    virtual ~key_provider() = default;

    /// The name of its metadata: "key_provider.pbkdf2.main", or `encrypted_metadata_alias`.
    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }

    /// A key to encrypt with.
    [[nodiscard]] virtual auto key_to_seal() -> expected<provided_key> = 0;
    /// The key for data with these metadata.
    /// \param others  the metadata of other providers; empty: there are none
    [[nodiscard]] virtual auto key_to_open(std::string_view metadata, metadata_source const& others = {})
        -> expected<std::string> = 0;
    /// Reports that the key for these metadata has decrypted data, so that it can be used for encryption, too.
    virtual void confirm(std::string_view /*metadata*/, metadata_source const& /*others*/ = {}) {}
    /// The names of the providers on which this one depends.
    [[nodiscard]] virtual auto other_names() const -> std::vector<std::string> { return {}; }
    /// The same, followed by its own name.
    [[nodiscard]] auto all_names() const -> std::vector<std::string>
    {
        auto all = other_names();
        all.push_back(name_);
        return all;
    }

private:
    std::string name_;
};

/// The settings of `key_provider "pbkdf2"`, with their default values.
struct pbkdf2_settings {
    enum class hash_type : std::uint8_t { sha256, sha512 };

    static constexpr std::uint32_t least_iterations = 200'000;
    static constexpr std::size_t shortest_passphrase = 16;

    std::string passphrase;
    std::uint32_t key_length = 32;
    std::uint32_t iterations = 600'000;
    std::uint32_t salt_length = 32;
    hash_type hash = hash_type::sha512;
};

/// Keys from a passphrase, with a random salt for each new place.
/// \pre iterations and passphrase are not below their limits, key and salt are not empty
/// \source RFC 8018, 5.2; the metadata are in the format of OpenTofu
[[nodiscard]] auto make_pbkdf2(std::string name, pbkdf2_settings settings) -> std::shared_ptr<key_provider>;

/// The same with the key of another provider instead of a passphrase.
/// \pre the settings have no passphrase
[[nodiscard]] auto make_chained_pbkdf2(std::string name, pbkdf2_settings settings, std::shared_ptr<key_provider> chain)
    -> std::shared_ptr<key_provider>;

/// Runs a program with an input. \return its standard output, or the reason for its failure
using program_runner =
    std::function<expected<std::string>(std::vector<std::string> const& words, std::string const& input)>;

/// Keys from a program that implements OpenTofu's protocol for external key providers, version 1.
/// \pre words is not empty
[[nodiscard]] auto make_external(std::string name, std::vector<std::string> words, program_runner run)
    -> std::shared_ptr<key_provider>;

/// The key in a file: 32 bytes, or 64 hexadecimal digits.
[[nodiscard]] auto make_key_file(std::string name, std::filesystem::path file) -> std::shared_ptr<key_provider>;

}  // namespace iacctl::encryption

#endif  // IACCTL_STATE_ENCRYPTION_KEY_PROVIDER_HPP
