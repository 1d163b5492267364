// SPDX-License-Identifier: BSL-1.0
#include "base/characters.hpp"
#include "base/unicode.hpp"
#include "function_table.hpp"
#include "regular_expression.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <memory>

namespace iacctl::language::detail {

namespace {

using re2::StringPiece;

/// A pattern in the syntax of the library: `(?P<name>` instead of the newer `(?<name>`.
[[nodiscard]] auto respelled(std::string_view pattern) -> std::string
{
    std::string out;
    bool in_class = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        char const c = pattern[i];
        if (c == '\\' && i + 1 < pattern.size()) {
            out += c;
            out += pattern[++i];
            continue;
        }
        if (c == '[') in_class = true;
        else if (c == ']') in_class = false;
        out += c;
        if (c == '(' && !in_class && pattern.substr(i + 1).starts_with("?<")) {
            out += "?P<";
            i += 2;
        }
    }
    return out;
}

/// The reason why a pattern is malformed.
[[nodiscard]] auto reason(RE2 const& failed) -> std::string
{
    std::string what;
    switch (failed.error_code()) {
    case RE2::ErrorBadEscape: what = "there is no escape sequence"; break;
    case RE2::ErrorBadCharClass: what = "there is no character class"; break;
    case RE2::ErrorBadCharRange: what = "there is no range of characters"; break;
    case RE2::ErrorMissingBracket: what = "a ] is missing after"; break;
    case RE2::ErrorMissingParen: what = "a ) is missing after"; break;
    case RE2::ErrorUnexpectedParen: what = "no ( belongs to the ) in"; break;
    case RE2::ErrorTrailingBackslash: return "nothing follows the backslash at its end";
    case RE2::ErrorRepeatArgument: what = "there is nothing to repeat before"; break;
    case RE2::ErrorRepeatSize: what = "the number of repetitions is not allowed in"; break;
    case RE2::ErrorRepeatOp: what = "one repetition follows another in"; break;
    case RE2::ErrorBadPerlOp: what = "there is no operator"; break;
    case RE2::ErrorBadUTF8: return "it is not UTF-8";
    case RE2::ErrorBadNamedCapture: what = "a group cannot have the name in"; break;
    case RE2::ErrorPatternTooLarge: return "it is too large";
    default: return failed.error();
    }
    return what + " " + to_json(value(failed.error_arg()));
}

/// Returns whether a pattern has the escape sequence for one byte, which could split a character.
[[nodiscard]] auto matches_single_bytes(std::string_view pattern) -> bool
{
    for (auto at = pattern.find('\\'); at != std::string_view::npos; at = pattern.find('\\', at + 2)) {
        auto const rest = pattern.substr(at);
        if (rest.starts_with("\\C")) return true;
        // Between \Q and \E, a backslash stands for itself.
        if (rest.starts_with("\\Q")) at = std::min(pattern.find("\\E", at + 2), pattern.size());
    }
    return false;
}

/// The maximum depth of nested groups in a pattern.
[[nodiscard]] auto depth_of_groups(std::string_view pattern) -> std::size_t
{
    std::size_t depth = 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        auto const rest = pattern.substr(i);
        if (rest.starts_with("\\Q")) {
            i = std::min(pattern.find("\\E", i + 2), pattern.size());
        } else if (rest.starts_with('\\')) {
            ++i;
        } else if (rest.starts_with('[')) {
            // A bracket at the start of a class belongs to it.
            std::size_t const brackets = rest.starts_with("[^]") ? 3 : rest.starts_with("[]") ? 2 : 1;
            i += brackets;
            for (; i < pattern.size() && pattern[i] != ']'; ++i)
                if (pattern[i] == '\\') ++i;
        } else if (rest.starts_with('(')) {
            most = std::max(most, ++depth);
        } else if (rest.starts_with(')') && depth > 0) {
            --depth;
        }
    }
    return most;
}

/// A compiled pattern. The library limits the cost of compilation by the memory that a program may have.
[[nodiscard]] auto compiled(std::string_view pattern) -> call_result<std::shared_ptr<RE2 const>>
{
    static constexpr std::size_t longest = std::size_t{1} << 20U;
    static constexpr std::size_t deepest = 1000;
    if (pattern.size() > longest) return call_failure("the regular expression is longer than 1 MiB, the maximum");
    // The library needs memory for each pair of groups that contain each other.
    if (depth_of_groups(pattern) > deepest)
        return call_failure("the groups of the regular expression have more than 1000 levels, the maximum");
    if (matches_single_bytes(pattern))
        return call_failure(R"(it contains \C, which would match a part of a character)");
    RE2::Options options;
    options.set_log_errors(false);
    return std::make_shared<RE2 const>(respelled(pattern), options);
}

using matched_groups = std::vector<StringPiece>;

/// Visits all matches that do not overlap. An empty match directly after another one is ignored.
void for_each_match(RE2 const& pattern, std::string_view text, std::function<bool(matched_groups const&)> const& visit)
{
    StringPiece const whole(text.data(), text.size());
    matched_groups groups(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1);
    std::size_t at = 0;
    std::size_t end_of_last = std::string_view::npos;
    while (at <= text.size()) {
        if (!pattern.Match(whole, at, text.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size())))
            return;
        auto const begin = static_cast<std::size_t>(groups[0].data() - text.data());
        auto const end = begin + groups[0].size();
        bool const empty = begin == end;
        if (!(empty && begin == end_of_last) && !visit(groups)) return;
        end_of_last = end;
        at = end;
        if (!empty) continue;
        // Advances by one character.
        do ++at;
        while (at < text.size() && continues_character(text[at]));
    }
}

/// The type of a match: a string without groups, a tuple of unnamed ones, an object of named ones.
[[nodiscard]] auto result_type(RE2 const& pattern) -> call_result<type>
{
    if (!pattern.ok()) return call_failure(0, "this is not a regular expression: " + reason(pattern));
    auto const groups = static_cast<std::size_t>(pattern.NumberOfCapturingGroups());
    auto const& names = pattern.CapturingGroupNames();
    if (groups == 0) return type::string();
    if (names.empty()) return type::tuple(std::vector(groups, type::string()));
    if (names.size() < groups) return call_failure(0, "some of its groups have names, and others do not");
    std::vector<type_attribute> attributes;
    for (auto const& [number, name] : names) attributes.push_back({name, type::string(), false});
    return type::object(std::move(attributes));
}

[[nodiscard]] auto text_of(StringPiece group) -> value
{
    if (group.data() == nullptr) return value::null(type::string());
    return value(std::string_view(group.data(), group.size()));
}

[[nodiscard]] auto result_of(RE2 const& pattern, type const& t, matched_groups const& groups) -> value
{
    if (t.is(type_kind::string)) return text_of(groups[0]);
    if (t.is(type_kind::tuple)) {
        std::vector<value> made;
        for (std::size_t i = 1; i < groups.size(); ++i) made.push_back(text_of(groups[i]));
        return value::tuple(std::move(made));
    }
    std::vector<value_entry> made;
    for (auto const& [number, name] : pattern.CapturingGroupNames())
        made.push_back({name, text_of(groups[static_cast<std::size_t>(number)])});
    return value::object(std::move(made));
}

[[nodiscard]] auto regex_type(arguments given) -> call_result<type>
{
    if (given[0].is_unknown()) return type::dynamic();
    auto const pattern = compiled(given[0].as_string());
    if (!pattern) return pattern.error();
    return result_type(**pattern);
}

[[nodiscard]] auto regex(arguments given) -> call_result<value>
{
    auto const compilation = compiled(given[0].as_string());
    if (!compilation) return compilation.error();
    auto const& pattern = *compilation;
    auto const of = result_type(*pattern);
    if (!of) return of.error();
    std::optional<value> first;
    for_each_match(*pattern, given[1].as_string(), [&](matched_groups const& groups) {
        first = result_of(*pattern, *of, groups);
        return false;
    });
    if (!first) return call_failure("nothing in the text matches the pattern");
    return *first;
}

[[nodiscard]] auto regexall_type(arguments given) -> call_result<type>
{
    auto const of = regex_type(given);
    if (!of) return of.error();
    return type::list(*of);
}

[[nodiscard]] auto regexall(arguments given) -> call_result<value>
{
    auto const compilation = compiled(given[0].as_string());
    if (!compilation) return compilation.error();
    auto const& pattern = *compilation;
    auto const of = result_type(*pattern);
    if (!of) return of.error();
    std::vector<value> made;
    for_each_match(*pattern, given[1].as_string(), [&](matched_groups const& groups) {
        made.push_back(result_of(*pattern, *of, groups));
        return true;
    });
    return value::list(*of, std::move(made));
}

[[nodiscard]] constexpr auto is_name(char c) noexcept -> bool
{
    return is_alphanumeric(c) || c == '_';
}

/// Expands `$1`, `$name`, `${name}` and `$$` in a replacement.
void expand(std::string_view addition, RE2 const& pattern, matched_groups const& groups, std::string& out)
{
    while (!addition.empty()) {
        auto const dollar = std::min(addition.find('$'), addition.size());
        out += addition.substr(0, dollar);
        addition.remove_prefix(dollar);
        if (addition.empty()) return;
        addition.remove_prefix(1);
        if (addition.starts_with('$')) {
            out += '$';
            addition.remove_prefix(1);
            continue;
        }
        bool const braces = addition.starts_with('{');
        auto const rest = addition.substr(braces ? 1 : 0);
        auto const length = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_name) - rest.begin());
        if (length == 0 || (braces && (length >= rest.size() || rest[length] != '}'))) {
            out += '$';
            continue;
        }
        auto const name = rest.substr(0, length);
        addition = rest.substr(length + (braces ? 1 : 0));
        std::size_t group = groups.size();
        if (is_digits(name)) {
            group = 0;
            for (char const c : name)
                group = std::min<std::size_t>(group * 10 + static_cast<std::size_t>(c - '0'), 100'000);
        } else if (auto const found = pattern.NamedCapturingGroups().find(std::string(name));
            found != pattern.NamedCapturingGroups().end()) {
            group = static_cast<std::size_t>(found->second);
        }
        if (group < groups.size() && groups[group].data() != nullptr)
            out.append(groups[group].data(), groups[group].size());
    }
}

}  // namespace

auto replace_matches(std::string_view text, std::string_view desired, std::string_view addition) -> call_result<value>
{
    auto const compilation = compiled(desired);
    if (!compilation) return compilation.error();
    auto const& pattern = *compilation;
    if (!pattern->ok())
        return call_failure("the text between slashes is not a regular expression: " + reason(*pattern));
    std::string out;
    std::size_t at = 0;
    for_each_match(*pattern, text, [&](matched_groups const& groups) {
        auto const begin = static_cast<std::size_t>(groups[0].data() - text.data());
        out += text.substr(at, begin - at);
        expand(addition, *pattern, groups, out);
        at = begin + groups[0].size();
        return out.size() <= longest_text;
    });
    if (out.size() > longest_text) return too_long();
    out += text.substr(at);
    return value(std::move(out));
}

void add_regex_functions(function_table& table)
{
    std::vector<parameter> const both{{"pattern", type::string()}, {"string", type::string()}};
    table.add("regex", both, regex_type, regex);
    table.add("regexall", both, regexall_type, regexall);
}

}  // namespace iacctl::language::detail
