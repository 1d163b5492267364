// SPDX-License-Identifier: BSL-1.0
#include "option_values.hpp"

#include "base/duration.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace iacctl::commands {

namespace {

// A larger limit would have no effect: each concurrent operation needs memory of its own.
constexpr std::uint32_t most_at_once = 100'000;

auto read_flag(std::string const& text) -> std::optional<bool>
{
    for (std::string_view const yes : {"true", "1", "t", "T", "TRUE", "True"})
        if (text == yes) return true;
    for (std::string_view const no : {"false", "0", "f", "F", "FALSE", "False"})
        if (text == no) return false;
    return std::nullopt;
}

}  // namespace

auto read_into(bool& to, std::string const& text) -> value_problem
{
    auto const read = read_flag(text);
    if (!read) return "true or false";
    to = *read;
    return {};
}
auto read_into(std::string& to, std::string const& text) -> value_problem
{
    to = text;
    return {};
}
auto read_into(std::optional<std::string>& to, std::string const& text) -> value_problem
{
    to = text;
    return {};
}
auto read_into(std::optional<std::int64_t>& to, std::string const& text) -> value_problem
{
    std::int64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return "a number such as 12";
    to = number;
    return {};
}
auto read_into(std::chrono::nanoseconds& to, std::string const& text) -> value_problem
{
    auto const read = parse_duration(text);
    if (!read || read->count() < 0) return "a duration such as 10s or 1m30s";
    to = *read;
    return {};
}
auto read_into(language::deprecations& to, std::string const& text) -> value_problem
{
    using language::deprecations;
    if (text == "module:all") to = deprecations::all;
    else if (text == "module:local") to = deprecations::local;
    else if (text == "module:none") to = deprecations::none;
    else return "module:all, module:local or module:none";
    return {};
}

auto read_into(strider::infra::execution_limits& to, std::string const& text) -> value_problem
{
    static constexpr std::string_view expected =
        "one number such as 10 (0 selects the default, 10), which limits for single types may follow, such as "
        "10,local_file=2";
    std::set<std::string_view> limited;  // the types, and "" for all operations
    std::string_view rest = text;
    for (bool more = true; more;) {
        std::string_view const piece = rest.substr(0, rest.find(','));
        more = piece.size() < rest.size();
        rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
        auto const equals = piece.find('=');
        bool const of_type = equals != std::string_view::npos;
        std::string_view const digits = of_type ? piece.substr(equals + 1) : piece;
        std::uint32_t number = 0;
        auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        bool const is_number = error == std::errc() && end == digits.data() + digits.size();
        bool const is_new = limited.insert(of_type ? piece.substr(0, equals) : std::string_view()).second;
        if (!is_number || !is_new || (of_type && (equals == 0 || number == 0))) return std::string(expected);
        if (of_type) to.of_type[std::string(piece.substr(0, equals))] = std::min(number, most_at_once);
        else if (number != 0) to.parallelism = std::min(number, most_at_once);
    }
    return {};
}

}  // namespace iacctl::commands
