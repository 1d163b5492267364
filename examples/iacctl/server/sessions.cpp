// SPDX-License-Identifier: BSL-1.0
#include "sessions.hpp"

#include "base/digest.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "base/trimmed.hpp"

#include <algorithm>
#include <utility>

namespace iacctl::server {

namespace {

constexpr std::size_t digits = 64;

// A browser accepts this prefix only with Secure, for the path "/" and for one host.
auto cookie_name(bool secure) -> std::string_view
{
    return secure ? "__Host-iacctl" : "iacctl";
}

}  // namespace

auto session_table::cookie(std::string_view value, std::string_view more) const -> std::string
{
    std::string made(cookie_name(secure_));
    made.append("=").append(value).append("; Path=/; HttpOnly; SameSite=Strict");
    if (secure_) made += "; Secure";
    return made.append(more);
}

auto session_table::key_in(std::string_view cookies) const -> std::string
{
    while (!cookies.empty()) {
        auto const one = trimmed(cookies.substr(0, cookies.find(';')));
        cookies.remove_prefix(std::min(cookies.size(), std::min(cookies.find(';'), cookies.size() - 1) + 1));
        auto const equals = one.find('=');
        if (equals != one.npos && one.substr(0, equals) == cookie_name(secure_))
            return digest(one.substr(equals + 1), digest_kind::sha256);
    }
    return {};
}

auto session_table::begin(known_user by) -> begun_session
{
    std::int64_t const now = now_ms();
    std::erase_if(all_, [now](auto const& one) { return now - one.second.begun > longest; });
    // The sessions of a user do not end those of others.
    auto const is_of_user = [&](auto const& one) { return one.second.by.who.name == by.who.name; };
    if (static_cast<std::size_t>(std::ranges::count_if(all_, is_of_user)) >= most_of_user) {
        auto oldest = all_.end();
        for (auto at = all_.begin(); at != all_.end(); ++at)
            if (is_of_user(*at) && (oldest == all_.end() || at->second.begun < oldest->second.begun)) oldest = at;
        all_.erase(oldest);
    }
    if (all_.size() >= most)
        all_.erase(std::ranges::min_element(all_, {}, [](auto const& one) { return one.second.begun; }));
    std::string const secret = random_hex(digits);
    auto const at = all_.insert_or_assign(
        digest(secret, digest_kind::sha256), browser_session{std::move(by), random_hex(digits), now});
    return {&at.first->second, cookie(secret, {})};
}

auto session_table::find(std::string_view cookies) -> browser_session*
{
    auto const found = all_.find(key_in(cookies));
    if (found == all_.end()) return nullptr;
    if (now_ms() - found->second.begun <= longest) return &found->second;
    all_.erase(found);
    return nullptr;
}

auto session_table::end(std::string_view cookies) -> std::string
{
    all_.erase(key_in(cookies));
    return cookie({}, "; Max-Age=0");
}

}  // namespace iacctl::server
