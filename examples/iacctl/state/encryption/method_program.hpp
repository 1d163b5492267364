// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_ENCRYPTION_METHOD_PROGRAM_HPP
#define IACCTL_STATE_ENCRYPTION_METHOD_PROGRAM_HPP

#include "base/expected.hpp"
#include "key_provider.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::encryption {

/// A method with programs that encrypt and decrypt whole documents: OpenTofu's protocol for external methods, version
/// 1.
class method_program {
public:
    /// \param name  "method.external.main"
    /// \param keys  for the programs; null: they have none
    /// \pre no list of words is empty
    method_program(std::string name, std::vector<std::string> to_seal, std::vector<std::string> to_open,
        std::shared_ptr<key_provider> keys, program_runner run)
        : name_(std::move(name)),
          to_seal_(std::move(to_seal)),
          to_open_(std::move(to_open)),
          keys_(std::move(keys)),
          run_(std::move(run))
    {}

    [[nodiscard]] auto name() const noexcept -> std::string const& { return name_; }
    [[nodiscard]] auto keys() const noexcept -> std::shared_ptr<key_provider> const& { return keys_; }

    /// Encrypts a text. \return the data in `key`, and the metadata of the key provider
    [[nodiscard]] auto seal(std::string_view text) const -> expected<provided_key>;
    /// Decrypts data. \param all  the metadata beside the data
    [[nodiscard]] auto open(std::string_view data, metadata_source const& all) const -> expected<std::string>;

private:
    [[nodiscard]] auto run(std::vector<std::string> const& words, std::string_view key, std::string_view payload) const
        -> expected<std::string>;

    std::string name_;
    std::vector<std::string> to_seal_;
    std::vector<std::string> to_open_;
    std::shared_ptr<key_provider> keys_;
    program_runner run_;
};

/// A random key for the records of a database, encrypted by the method: the programs run once, not for each record.
[[nodiscard]] auto make_wrapped_key(std::shared_ptr<method_program const> by) -> std::shared_ptr<key_provider>;

}  // namespace iacctl::encryption

#endif  // IACCTL_STATE_ENCRYPTION_METHOD_PROGRAM_HPP
