// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RECORD_CIPHER_HPP
#define IACCTL_STATE_RECORD_RECORD_CIPHER_HPP

#include "base/encoding.hpp"
#include "database.hpp"
#include "digest.hpp"
#include "state/encryption/aes_gcm.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace iacctl::state {

/// The place of a record, which its encryption authenticates: a record that was moved to another place cannot be
/// decrypted.
class record_place {
public:
    enum class part_type : std::uint8_t { attributes, document };

    /// \param position  the sequence of the entry that last wrote the row
    [[nodiscard]] static auto resource(part_type part, std::string_view address, std::string_view deposed,
        std::int64_t position, bool deleted) -> record_place
    {
        record_place made(part == part_type::attributes ? "resource.attributes" : "resource.document");
        return made.text(address).text(deposed).number(position).number(deleted ? 1 : 0);
    }
    [[nodiscard]] static auto output(std::string_view name) -> record_place
    {
        return record_place("output").text(name);
    }
    [[nodiscard]] static auto pending(std::string_view operation) -> record_place
    {
        return record_place("pending").text(operation);
    }
    [[nodiscard]] static auto entry(
        std::int64_t sequence, std::int64_t generation, std::int64_t epoch, std::int64_t time) -> record_place
    {
        return record_place("entry").number(sequence).number(generation).number(epoch).number(time);
    }
    /// \param name  of the record at that address
    [[nodiscard]] static auto base(std::string_view address, std::string_view name) -> record_place
    {
        return record_place("base").text(address).text(name);
    }
    /// \param hash  of the `meta` row, which includes the sum of all other rows
    [[nodiscard]] static auto header(digest const& hash) -> record_place
    {
        return record_place("meta").text({reinterpret_cast<char const*>(hash.data()), hash.size()});
    }

    /// The same place in a database of several workspaces. \param version  of the row; 0 if it has none
    [[nodiscard]] auto in(std::int64_t workspace, std::int64_t version) const -> record_place
    {
        return record_place(*this).number(workspace).number(version);
    }

    [[nodiscard]] auto bytes() const noexcept -> std::string_view { return bytes_; }

private:
    explicit record_place(std::string_view kind) { text(kind); }
    // Includes the length, so that different sequences of fields have different bytes.
    auto text(std::string_view field) -> record_place&
    {
        number(static_cast<std::int64_t>(field.size()));
        bytes_ += field;
        return *this;
    }
    auto number(std::int64_t field) -> record_place&
    {
        for (unsigned shift = 0; shift < 64; shift += 8)
            bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(field) >> shift));
        return *this;
    }

    std::string bytes_;
};

/// Encrypts the contents of records, each separately, or leaves them unchanged.
class record_cipher {
public:
    /// Leaves contents unchanged.
    record_cipher() = default;
    /// \param workspace  binds each content to this workspace and to the version of its row, and makes it base64
    explicit record_cipher(encryption::aes_gcm key, std::optional<std::int64_t> workspace = {})
        : key_(std::move(key)),
          workspace_(workspace)
    {}

    [[nodiscard]] auto seals() const noexcept -> bool { return key_.has_value(); }

    /// The content of a column. \param place  returns a `record_place` \param into  buffer for the encrypted content
    template <class Place>
    [[nodiscard]] auto seal(
        std::string_view text, Place const& place, std::string& into, std::int64_t version = 0) const -> stored_text
    {
        if (!key_) return {text, false};
        into = key_->seal(text, in_database(place(), version).bytes());
        if (workspace_) into = base64(into);
        return {into, !workspace_};
    }
    /// The same in a string of its own.
    template <class Place>
    [[nodiscard]] auto sealed(std::string text, Place const& place, std::int64_t version = 0) const -> std::string
    {
        std::string into;
        return seals() ? std::string(seal(text, place, into, version).bytes) : text;
    }
    /// The text of a column. Nothing if it was not encrypted with this key for this place.
    template <class Place>
    [[nodiscard]] auto open(std::string_view stored, Place const& place, std::int64_t version = 0) const
        -> std::optional<std::string>
    {
        if (!key_) return std::string(stored);
        if (!workspace_) return key_->open(stored, place().bytes());
        auto const sealed = from_base64(stored);
        return sealed ? key_->open(*sealed, in_database(place(), version).bytes()) : std::nullopt;
    }

private:
    [[nodiscard]] auto in_database(record_place place, std::int64_t version) const -> record_place
    {
        return workspace_ ? place.in(*workspace_, version) : place;
    }

    std::optional<encryption::aes_gcm> key_;
    std::optional<std::int64_t> workspace_;
};

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RECORD_CIPHER_HPP
