// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_USERS_HPP
#define IACCTL_SERVER_USERS_HPP

#include "base/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::server {

namespace infra = strider::infra;

/// The rights of a user: to read states and their history, or also to change them.
enum class role : std::uint8_t { read, write };

/// A client whose identity is verified.
struct caller {
    std::string name;
    role may = role::write;
};

/// A user of the file. The mark changes with the password.
struct known_user {
    caller who;
    std::string mark = {};
};

/// The users in a file with a line "NAME:HASH" or "NAME:HASH:ROLE" per user.
///
/// HASH is in a format of crypt(3), such as bcrypt; ROLE is "read" or "write", by default "write". Empty lines and
/// lines that begin with # are ignored.
class user_list {
public:
    [[nodiscard]] static auto read(std::filesystem::path const& file) -> expected<user_list>;

    /// The user with this name and password, if there is one. Slow, and equally slow for an unknown name. Thread-safe.
    [[nodiscard]] auto verify(std::string const& name, std::string const& password) const -> std::optional<caller>;
    /// The user with this name, if there is one.
    [[nodiscard]] auto find(std::string_view name) const -> std::optional<known_user>;

private:
    struct entry {
        std::string hash;
        role may = role::write;
    };
    std::map<std::string, entry, std::less<>> all_;
};

/// Adds a user to such a file, or replaces the user with the same name. The file is created if necessary. The hash is
/// bcrypt.
[[nodiscard]] auto add_user(std::filesystem::path const& file, std::string const& name, role may,
    std::string const& password) -> expected<void>;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_USERS_HPP
