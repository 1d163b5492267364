// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_USERS_HPP
#define IACCTL_SERVER_USERS_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::server {

namespace infra = strider::infra;
using strider::infra::expected;

/// Rights of a user: to read states and their history, or to change them as well.
enum class role : std::uint8_t { read, write };

/// A client whose identity is verified.
struct caller {
    std::string name;
    role may = role::write;
};

/// The users of a file with a line "NAME:HASH" or "NAME:HASH:ROLE" for each of them.
///
/// HASH is one that crypt(3) verifies, such as bcrypt; ROLE is "read" or "write", by default the latter. Empty lines and those
/// that begin with # have no effect.
class user_list {
public:
    [[nodiscard]] static auto read(std::filesystem::path const& file) -> expected<user_list>;

    /// The user, if there is one with this password. Slow, and as slow for a name that does not exist. May be called by several
    /// threads at a time.
    [[nodiscard]] auto verify(std::string const& name, std::string const& password) const -> std::optional<caller>;

private:
    struct entry {
        std::string hash;
        role may = role::write;
    };
    std::map<std::string, entry, std::less<>> all_;
};

/// Adds a user to such a file, which is made if there is none, or replaces the user of that name. The hash is bcrypt.
[[nodiscard]] auto add_user(std::filesystem::path const& file, std::string const& name, role may,
    std::string const& password) -> std::optional<infra::failure>;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_USERS_HPP
