// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_AUTHENTICATOR_HPP
#define IACCTL_SERVER_AUTHENTICATOR_HPP

#include "base/expected.hpp"
#include "users.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace iacctl::server {

/// The user name and password of basic authentication.
struct credentials {
    std::string name;
    std::string password;

    /// Nothing if the header has another scheme or is malformed. \source RFC 7617
    [[nodiscard]] static auto parse(std::string_view authorization) -> std::optional<credentials>;
};

/// The users in the current version of a file, and those that were verified already: a password is hashed once, not
/// with each request.
class authenticator {
public:
    explicit authenticator(std::filesystem::path file);

    /// The user that was verified with this header before. If the file has changed, it is read again and all verified
    /// users are forgotten.
    [[nodiscard]] auto recall(std::string const& authorization) -> expected<std::optional<caller>>;
    /// \pre `recall` has succeeded
    [[nodiscard]] auto users() const -> std::shared_ptr<user_list const> { return users_; }
    /// Has no effect if the file has changed since `list` was current.
    void remember(
        std::string const& authorization, std::shared_ptr<user_list const> const& list, caller const& verified);

private:
    using file_identity = std::tuple<long long, long long, unsigned long long, long long>;

    [[nodiscard]] auto digest_of(std::string const& authorization) const -> std::string;

    std::filesystem::path file_;
    file_identity read_{};
    std::string salt_;
    std::shared_ptr<user_list const> users_;
    std::map<std::string, caller> verified_;
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_AUTHENTICATOR_HPP
