// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_ENCRYPTION_TARGET_HPP
#define IACCTL_ENCRYPTION_TARGET_HPP

#include "aes_gcm.hpp"
#include "key_provider.hpp"
#include "method_program.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::encryption {

/// A way to keep data, as a block `method` describes it.
struct method {
    std::string address = "method.unencrypted";  ///< "method.aes_gcm.main"
    std::shared_ptr<key_provider> keys;  ///< null: unencrypted
    std::string associated;  ///< `aad`, of documents
    std::shared_ptr<method_program const> program{};  ///< encrypts documents; then `keys` are those of records

    [[nodiscard]] auto encrypts() const noexcept -> bool { return keys != nullptr; }
};

/// A method with its key.
struct ready_method {
    method of;
    std::optional<aes_gcm> cipher;  ///< nothing: unencrypted
    std::string metadata;  ///< JSON object: the metadata of the provider under its name, in base64
    bool is_first = true;  ///< what is written has this method
};

/// The methods for one kind of data: state, plans, states of others. The first is written with, all are read with.
///
/// A kind without a block is not encrypted, and no encrypted data of it are accepted.
class target {
public:
    target() = default;
    /// \param name  as messages call the data: "state"
    /// \pre methods is not empty
    target(std::string name, std::vector<method> methods) : name_(std::move(name)), methods_(std::move(methods)) {}

    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }
    /// Is what is written encrypted?
    [[nodiscard]] auto encrypts() const noexcept -> bool { return methods_.front().encrypts(); }
    /// May data be read that are not encrypted?
    [[nodiscard]] auto accepts_unencrypted() const noexcept -> bool;
    /// Would `encrypts` be true for any of the methods?
    [[nodiscard]] auto has_keys() const noexcept -> bool;

    /// The first method, to write with.
    [[nodiscard]] auto to_seal() const -> expected<ready_method>;
    /// Calls `fits` with each method that has a key for the metadata, until it returns true.
    /// \param metadata  a JSON object, as `ready_method` has it
    /// \param what      the data, as messages call them: "the database state.db"
    template <class Fits>
    [[nodiscard]] auto to_open(std::string_view metadata, std::string_view what, Fits const& fits) const
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
            } else attempts += "\n  - " + one.address + ": the key does not fit, or the data were changed";
        }
        return unknown_key(what, attempts);
    }

    /// A whole document with the members `meta`, `encrypted_data` and `encryption_version`, or the text itself if the first method
    /// is no encryption.
    /// \param clear  members in front of them, each with a comma behind it: `"serial":1,`
    [[nodiscard]] auto seal(std::string text, std::string_view clear = {}) const -> expected<std::string>;
    /// The inverse. A text that is no sealed document is itself, if that is accepted.
    [[nodiscard]] auto open(std::string text, std::string_view what) const -> expected<std::string>;

    /// The error about data that are not encrypted where they have to be.
    [[nodiscard]] auto not_encrypted(std::string_view what) const -> infra::failure;

private:
    [[nodiscard]] auto prepare(method const& one, std::string_view metadata) const -> expected<ready_method>;
    static void confirm(method const& one, std::string_view metadata);
    [[nodiscard]] auto unknown_key(std::string_view what, std::string const& attempts) const -> infra::failure;
    // The document that a method opens; the failure of its program otherwise.
    [[nodiscard]] auto open_with(method const& one, std::string const& data, std::string_view metadata) const
        -> expected<std::string>;
    [[nodiscard]] static auto reason(infra::failure const& why) -> std::string;

    std::string name_ = "state";
    std::vector<method> methods_{method()};
};

/// Is this a document that `target::seal` or OpenTofu has encrypted?
[[nodiscard]] auto is_sealed(std::string_view text) -> bool;

/// The targets of a configuration.
struct targets {
    target state{"state", {method()}};
    target plan{"plan", {method()}};
    target remote_state{"remote_state_data_sources", {method()}};  ///< of data sources that are not named
    std::map<std::string, target> remote_states;  ///< by "module.path.name" of the data source

    /// Is anything encrypted, written or read? Then memory has keys.
    [[nodiscard]] auto has_keys() const noexcept -> bool;
    [[nodiscard]] auto of_remote_state(std::string const& name) const -> target const&
    {
        auto const found = remote_states.find(name);
        return found == remote_states.end() ? remote_state : found->second;
    }
};

}  // namespace iacctl::encryption

#endif  // IACCTL_ENCRYPTION_TARGET_HPP
