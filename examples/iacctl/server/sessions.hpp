// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_SESSIONS_HPP
#define IACCTL_SERVER_SESSIONS_HPP

#include "users.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace iacctl::server {

/// A browser that was identified once, and is recognized by a cookie.
struct browser_session {
    known_user by;
    std::string token;  ///< against forged requests: the header X-CSRF-Token of a request that changes something
    std::int64_t begun = 0;  ///< milliseconds since 1970, UTC
};

/// The sessions of browsers, in memory only: they end with the server.
///
/// A cookie is a random number, of which only the digest is kept. Scripts cannot read it, and browsers send it for pages
/// of this server only.
/// \source RFC 6265bis (SameSite, __Host-); OWASP, "Cross-Site Request Forgery Prevention" (synchronizer token)
class session_table {
public:
    static constexpr std::int64_t longest = std::int64_t{12} * 60 * 60 * 1000;
    static constexpr std::size_t most = 1000;  ///< a further one replaces the oldest
    static constexpr std::size_t most_of_user = 100;  ///< a further one replaces the oldest of the same user

    /// \param secure  the server uses TLS
    explicit session_table(bool secure = false) : secure_(secure) {}

    struct begun_session {
        browser_session const* session;
        std::string cookie;  ///< the header Set-Cookie
    };
    [[nodiscard]] auto begin(known_user by) -> begun_session;
    /// The session of a request; null if there is none, or it has ended. \param cookies  the header Cookie
    [[nodiscard]] auto find(std::string_view cookies) -> browser_session*;
    /// Ends the session of a request. \return the header Set-Cookie
    auto end(std::string_view cookies) -> std::string;

private:
    [[nodiscard]] auto cookie(std::string_view value, std::string_view more) const -> std::string;
    [[nodiscard]] auto key_in(std::string_view cookies) const -> std::string;

    bool secure_;
    std::map<std::string, browser_session> all_;  // by the digest of the cookie
};

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_SESSIONS_HPP
