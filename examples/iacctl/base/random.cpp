// SPDX-License-Identifier: BSL-1.0
#include "random.hpp"

#include "characters.hpp"
#include "encoding.hpp"

#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>

namespace iacctl {

auto random_bytes(std::size_t count) -> std::string
{
    // Uses the system call, because the generator of OpenSSL takes two milliseconds to start.
    constexpr std::size_t most_at_once = 256;
    std::string made(count, '\0');
    for (std::size_t at = 0; at < count; at += most_at_once)
        if (::getentropy(made.data() + at, std::min(most_at_once, count - at)) != 0)
            throw std::system_error(errno, std::generic_category(), "the system provides no random bytes");
    return made;
}

auto random_hex(std::size_t digits) -> std::string
{
    return hex(random_bytes((digits + 1) / 2)).substr(0, digits);
}

namespace {

auto uuid_text(boost::uuids::uuid made, unsigned version) -> std::string
{
    auto* const bytes = made.begin();
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | version << 4U);
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);  // the variant
    return boost::uuids::to_string(made);
}

auto random_uuid_bytes() -> boost::uuids::uuid
{
    boost::uuids::uuid made{};
    std::ranges::copy(random_bytes(made.size()), made.begin());
    return made;
}

}  // namespace

auto random_uuid() -> std::string
{
    return uuid_text(random_uuid_bytes(), 4);
}

auto time_ordered_uuid() -> std::string
{
    auto made = random_uuid_bytes();
    auto const since = std::chrono::system_clock::now().time_since_epoch();
    auto const now = static_cast<std::uint64_t>(std::chrono::floor<std::chrono::milliseconds>(since).count());
    for (unsigned i = 0; i < 6; ++i) made.begin()[i] = static_cast<unsigned char>(now >> (40U - 8U * i));
    return uuid_text(made, 7);
}

auto is_uuid(std::string_view text) noexcept -> bool
{
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : hex_digit(text[i]) < 0) return false;
    }
    return true;
}

}  // namespace iacctl
