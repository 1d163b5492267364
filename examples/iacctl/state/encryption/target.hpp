// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_ENCRYPTION_TARGET_HPP
#define IACCTL_STATE_ENCRYPTION_TARGET_HPP

#include "aes_gcm.hpp"
#include "base/expected.hpp"
#include "key_provider.hpp"
#include "method_program.hpp"

#include <strider/infra/model/address.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::encryption {

/// A method of storage, as configured by a block `method`.
struct method {
    std::string address = "method.unencrypted";  ///< "method.aes_gcm.main"
    std::shared_ptr<key_provider> keys;  ///< null: unencrypted
    std::string associated;  ///< `aad`, for documents
    std::shared_ptr<method_program const> program{};  ///< encrypts documents; then `keys` are for records

    [[nodiscard]] auto encrypts() const noexcept -> bool { return keys != nullptr; }
};

/// A method with its key.
struct ready_method {
    method of;
    std::optional<aes_gcm> cipher;  ///< nothing: unencrypted
    std::string metadata;  ///< JSON object: the metadata of the provider under its name, in base64
    bool is_first = true;  ///< it is the first method, with which data are written
};

/// The methods for one kind of data: state, plans, states of others. Data are written with the first, and read with any
/// of them.
///
/// A kind without a block is not encrypted, and encrypted data of that kind are not accepted.
class target {
public:
    target() = default;
    /// \param name  of the data in messages: "state"
    /// \pre methods is not empty
    target(std::string name, std::vector<method> methods) : name_(std::move(name)), methods_(std::move(methods)) {}

    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }
    /// Returns whether data are encrypted when they are written.
    [[nodiscard]] auto encrypts() const noexcept -> bool { return methods_.front().encrypts(); }
    /// Returns whether unencrypted data can be read.
    [[nodiscard]] auto accepts_unencrypted() const noexcept -> bool;
    /// Returns whether any of the methods encrypts.
    [[nodiscard]] auto has_keys() const noexcept -> bool;

    /// The first method, with a key to encrypt.
    [[nodiscard]] auto to_seal() const -> expected<ready_method>;
    /// Calls `fits` with each method that has a key for the metadata, until it returns true.
    /// \param metadata  a JSON object, as in `ready_method`
    /// \param subject      the name of the data in messages: "the database state.db"
    template <class Fits>
    [[nodiscard]] auto to_open(std::string_view metadata, std::string_view subject, Fits const& fits) const
        -> expected<ready_method>
    {
        std::string attempts;
        for (method const& one : methods_) {
            if (!one.encrypts()) continue;
            auto ready = prepare(one, metadata);
            if (!ready) attempts += "\n  - " + one.address + ": " + reason(ready.error());
            else if (fits(*ready)) {
                confirm(one, metadata);
                return std::move(*ready);
            } else attempts += "\n  - " + one.address + ": the key is wrong, or the data were changed";
        }
        return unknown_key(subject, attempts);
    }

    /// Encrypts a document. The result has the members `meta`, `encrypted_data` and `encryption_version`; if the first
    /// method does not encrypt, it is the text itself.
    /// \param clear  members to write before them, each followed by a comma: `"serial":1,`
    [[nodiscard]] auto seal(std::string text, std::string_view clear = {}) const -> expected<std::string>;
    /// Decrypts a document. An unencrypted text is returned unchanged, if the methods accept it.
    [[nodiscard]] auto open(std::string text, std::string_view subject) const -> expected<std::string>;

    /// The error for unencrypted data that must be encrypted.
    [[nodiscard]] auto not_encrypted(std::string_view subject) const -> infra::failure;

private:
    [[nodiscard]] auto prepare(method const& m, std::string_view metadata) const -> expected<ready_method>;
    static void confirm(method const& m, std::string_view metadata);
    [[nodiscard]] auto unknown_key(std::string_view subject, std::string const& attempts) const -> infra::failure;
    // The document, decrypted by a method; otherwise the failure of its program.
    [[nodiscard]] auto open_with(method const& m, std::string const& data, std::string_view metadata) const
        -> expected<std::string>;
    [[nodiscard]] static auto reason(infra::failure const& why) -> std::string;

    std::string name_ = "state";
    std::vector<method> methods_{method()};
};

/// Returns whether this is a document that `target::seal` or OpenTofu has encrypted.
[[nodiscard]] auto is_sealed(std::string_view text) -> bool;

/// The targets of a configuration.
struct targets {
    target state{"state", {method()}};
    target plan{"plan", {method()}};
    target remote_state{"remote_state_data_sources", {method()}};  ///< of data sources that are not named
    std::map<std::string, target> remote_states;  ///< by name of the instance or of the data source

    /// Returns whether any data are encrypted when they are written or read. Then the memory of the process contains
    /// keys.
    [[nodiscard]] auto has_keys() const noexcept -> bool;
    /// The target of a data source: the one that names its instance, otherwise the one that names all its instances,
    /// otherwise the default.
    ///
    /// \source OpenTofu 1.12, Provider.ReadDataSourceEncrypted: the name of an instance is its address without "data.",
    /// its type, and the first "module."; "module.m[0].data.terraform_remote_state.r" is named "m[0].r".
    [[nodiscard]] auto of_remote_state(infra::address const& a) const -> target const&;
};

}  // namespace iacctl::encryption

#endif  // IACCTL_STATE_ENCRYPTION_TARGET_HPP
