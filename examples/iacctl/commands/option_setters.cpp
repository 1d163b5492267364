// SPDX-License-Identifier: BSL-1.0
#include "option_setters.hpp"

#include "support/duration.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace iacctl::commands::setters {

namespace {

using language::variable_option;

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

auto store_in(bool& to, std::string const& text) -> problem
{
    auto const read = read_flag(text);
    if (!read) return "true or false";
    to = *read;
    return {};
}
auto store_in(std::string& to, std::string const& text) -> problem
{
    to = text;
    return {};
}
auto store_in(std::optional<std::string>& to, std::string const& text) -> problem
{
    to = text;
    return {};
}
auto store_in(std::vector<std::string>& to, std::string const& text) -> problem
{
    to.push_back(text);
    return {};
}
auto store_in(std::optional<std::int64_t>& to, std::string const& text) -> problem
{
    std::int64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return "a number such as 12";
    to = number;
    return {};
}

auto ignore(request&, std::string const&) -> problem
{
    return {};
}
auto ignore_flag(request&, std::string const& text) -> problem
{
    bool ignored = false;
    return store_in(ignored, text);
}
auto no_color(request& to, std::string const& text) -> problem
{
    bool desired = true;
    auto const wrong = store_in(desired, text);
    to.colour = !desired;
    return wrong;
}
auto no_tests(request& to, std::string const& text) -> problem
{
    bool desired = true;
    auto const wrong = store_in(desired, text);
    to.tests = !desired;
    return wrong;
}
auto variable(request& to, std::string const& text) -> problem
{
    to.variables.push_back({variable_option::option_kind::assignment, text});
    return {};
}
auto variable_file(request& to, std::string const& text) -> problem
{
    to.variables.push_back({variable_option::option_kind::file, text});
    return {};
}
auto deprecation(request& to, std::string const& text) -> problem
{
    using language::deprecations;
    if (text == "module:all") to.deprecations = deprecations::all;
    else if (text == "module:local") to.deprecations = deprecations::local;
    else if (text == "module:none") to.deprecations = deprecations::none;
    else return "module:all, module:local or module:none";
    return {};
}
auto lock_timeout(request& to, std::string const& text) -> problem
{
    auto const read = parse_duration(text);
    if (!read || read->count() < 0) return "a duration such as 10s or 1m30s";
    to.lock_timeout = std::chrono::duration<double>(*read).count();
    return {};
}

auto watch_interval(request& to, std::string const& text) -> problem
{
    auto const read = parse_duration(text);
    if (!read || *read < std::chrono::seconds(1)) return "a duration of at least 1s, such as 30s or 5m";
    to.watch.interval = std::chrono::duration<double>(*read).count();
    return {};
}
auto watch_rounds(request& to, std::string const& text) -> problem
{
    auto wrong = store_in(to.watch.rounds, text);
    if (!wrong && *to.watch.rounds == 0) wrong = "a number such as 12";
    return wrong;
}

auto parallelism(request& to, std::string const& text) -> problem
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
        if (of_type) to.limits.of_type[std::string(piece.substr(0, equals))] = std::min(number, most_at_once);
        else if (number != 0) to.limits.parallelism = std::min(number, most_at_once);
    }
    return {};
}

auto simulated_parallelism(request& to, std::string const& text) -> problem
{
    request one;
    auto wrong = parallelism(one, text);
    if (!wrong) to.simulated.push_back(one.limits);
    return wrong;
}

auto stop_on_failure(request& to, std::string const& text) -> problem
{
    return store_in(to.limits.stop_on_first_failure, text);
}

}  // namespace iacctl::commands::setters
