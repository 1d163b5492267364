// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_MESSAGE_HPP
#define IACCTL_MESSAGES_MESSAGE_HPP

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::messages {

namespace detail {

/// The number of arguments of a pattern: one more than its largest placeholder. Not a constant expression for a
/// malformed pattern. Takes a pointer instead of a string_view, which is faster to compile: each unit evaluates it for
/// all messages that it includes.
consteval auto arguments_of(char const* at) -> std::size_t
{
    std::size_t count = 0;
    for (; *at != '\0'; ++at) {
        if (*at != '{' && *at != '}') continue;
        if (at[1] == *at) {
            ++at;
            continue;
        }
        if (*at == '}') throw "write }} for a brace";
        if (at[1] < '0' || at[1] > '9' || at[2] != '}')
            throw "a placeholder is a digit in braces: {0}; write {{ for a brace";
        auto const number = static_cast<std::size_t>(at[1] - '0') + 1;
        count = number > count ? number : count;
        at += 2;
    }
    return count;
}

}  // namespace detail

/// A diagnostic of the catalogue. The meaning of a code never changes, because scripts and documentation refer to it.
/// Texts may change.
struct message_text {
    std::string_view code;
    std::string_view summary;  ///< one line; may have placeholders
    std::string_view detail;  ///< the reason and the remedy; `{0}` is the first argument
};

/// A message with `Arguments` arguments.
template <std::size_t Arguments>
struct message : message_text {
    consteval message(char const* its_code, char const* its_summary, char const* its_detail)
        : message_text{its_code, its_summary, its_detail}
    {
        auto const in_summary = messages::detail::arguments_of(its_summary);
        auto const in_detail = messages::detail::arguments_of(its_detail);
        if ((in_summary > in_detail ? in_summary : in_detail) != Arguments)
            throw "the texts take another number of arguments";
    }
};

/// The arguments of a message, in the required number. They are read during the call only.
template <std::size_t Count>
using arguments = std::string_view const (&)[Count];

/// A pattern with its placeholders replaced. \pre every placeholder has an argument
[[nodiscard]] auto filled(std::string_view pattern, std::span<std::string_view const> arguments) -> std::string;

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_MESSAGE_HPP
