// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_ODR_ANSWERS_HPP
#define STRIDER_TESTS_ODR_ANSWERS_HPP

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace odr {

/// The value of a concept in a unit, directly after the unit has included the header.
struct answer {
    std::string_view question;
    bool is_yes;
    std::string_view unit;
    std::string_view header;
};

inline auto answers() -> std::vector<answer>&
{
    static std::vector<answer> all;
    return all;
}

/// Adds answers before main().
struct collected {
    explicit collected(std::span<answer const> some) { answers().insert(answers().end(), some.begin(), some.end()); }
};

}  // namespace odr

#endif  // STRIDER_TESTS_ODR_ANSWERS_HPP
