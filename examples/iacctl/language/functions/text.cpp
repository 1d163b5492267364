// SPDX-License-Identifier: BSL-1.0
#include "base/unicode.hpp"
#include "function_table.hpp"
#include "regular_expression.hpp"

#include <algorithm>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto trim(std::string_view text, std::function<bool(char32_t)> const& cut) -> std::string
{
    auto const codes = code_points(text);
    std::size_t first = 0;
    std::size_t last = codes.size();
    while (first < last && cut(codes[first])) ++first;
    while (last > first && cut(codes[last - 1])) --last;
    return from_code_points(std::u32string_view(codes).substr(first, last - first));
}

/// Stops when the result exceeds the longest text.
[[nodiscard]] auto replace_all(std::string_view text, std::string_view from, std::string_view to) -> std::string
{
    std::string out;
    if (from.empty()) {
        // Like Go: the replacement is inserted before each character and at the end.
        out = to;
        while (!text.empty() && out.size() <= longest_text) {
            auto const length = code_point(text).length;
            (out += text.substr(0, length)) += to;
            text.remove_prefix(length);
        }
        return out;
    }
    std::size_t at = 0;
    for (auto hit = text.find(from); hit != std::string_view::npos; hit = text.find(from, at)) {
        (out += text.substr(at, hit - at)) += to;
        if (out.size() > longest_text) return out;
        at = hit + from.size();
    }
    return out += text.substr(at);
}

[[nodiscard]] auto join(arguments given) -> call_result<value>
{
    if (given.size() < 2) return call_failure("at least one list is required");
    auto const& separator = given[0].as_string();
    for (std::size_t i = 1; i < given.size(); ++i)
        for (std::size_t j = 0; j < given[i].size(); ++j)
            if (given[i].elements()[j].is_null())
                return call_failure(i,
                    "element " + std::to_string(j) + (given.size() > 2 ? " of list " + std::to_string(i) : "")
                        + " is null, and null cannot be joined");
    std::string out;
    bool first = true;
    for (auto const& list : given.subspan(1)) {
        if (!list.wholly_known()) return value::unknown(type::string()).refined_not_null();
        for (auto const& one : list.elements()) {
            if (!std::exchange(first, false)) out += separator;
            out += one.as_string();
            if (out.size() > longest_text) return too_long();
        }
    }
    return value(std::move(out));
}

[[nodiscard]] auto split(arguments given) -> call_result<value>
{
    std::string_view const separator = given[0].as_string();
    std::string_view const text = given[1].as_string();
    std::vector<value> made;
    if (text.empty()) {
        if (!separator.empty()) made.push_back(value(text));
    } else if (separator.empty()) {
        for (char32_t const code : code_points(text)) made.push_back(value(from_code_points({&code, 1})));
    } else {
        std::size_t at = 0;
        for (auto hit = text.find(separator); hit != std::string_view::npos; hit = text.find(separator, at)) {
            made.push_back(value(text.substr(at, hit - at)));
            at = hit + separator.size();
        }
        made.push_back(value(text.substr(at)));
    }
    return value::list(type::string(), std::move(made));
}

[[nodiscard]] auto substr(arguments given) -> call_result<value>
{
    auto offset = given[1].as_number().as_int64();
    auto const length = given[2].as_number().as_int64();
    if (!offset || !length) return call_failure(not_whole);
    auto const all = graphemes(given[0].as_string());
    auto const size = static_cast<std::int64_t>(all.size());
    // Like Terraform: an offset before the start is the start, and with an offset from the end, a length of 0 extends
    // to the end.
    bool const from_end = *offset < 0;
    if (from_end) offset = std::max<std::int64_t>(*offset + size, 0);
    if (*offset >= size || (*length == 0 && !from_end)) return value("");
    auto const end = *length <= 0 ? size : *offset + std::min(*length, size - *offset);
    std::string out;
    for (auto i = *offset; i < end; ++i) out += all[static_cast<std::size_t>(i)];
    return value(std::move(out));
}

[[nodiscard]] auto replace(arguments given) -> call_result<value>
{
    std::string_view const from = given[1].as_string();
    if (from.size() > 1 && from.starts_with('/') && from.ends_with('/'))
        return replace_matches(given[0].as_string(), from.substr(1, from.size() - 2), given[2].as_string());
    return value(replace_all(given[0].as_string(), from, given[2].as_string()));
}

[[nodiscard]] auto indent(arguments given) -> call_result<value>
{
    auto const spaces = given[0].as_number().as_int64();
    if (!spaces || *spaces < 0 || *spaces > 1'000'000) return call_failure(0, "a whole number of spaces is required");
    return value(replace_all(given[1].as_string(), "\n", "\n" + std::string(static_cast<std::size_t>(*spaces), ' ')));
}

void add_text(function_table& table, std::string_view name, std::vector<parameter> parameters,
    std::function<std::string(arguments)> compute)
{
    table.add(name, std::move(parameters), type::string(),
        [compute = std::move(compute)](arguments given) -> call_result<value> { return value(compute(given)); });
}

void add_test(function_table& table, std::string_view name, std::string_view second,
    bool (*holds)(std::string_view, std::string_view))
{
    table.add(name, {{"str", type::string()}, {std::string(second), type::string()}}, type::boolean(),
        [holds](arguments given) -> call_result<value> {
            return value(holds(given[0].as_string(), given[1].as_string()));
        });
}

}  // namespace

void add_text_functions(function_table& table)
{
    parameter const str{"str", type::string()};
    add_text(table, "upper", {str}, [](arguments given) { return upper_case(given[0].as_string()); });
    add_text(table, "lower", {str}, [](arguments given) { return lower_case(given[0].as_string()); });
    add_text(table, "title", {str}, [](arguments given) { return title_case(given[0].as_string()); });
    add_text(table, "trimspace", {str}, [](arguments given) { return trim(given[0].as_string(), is_white_space); });
    add_text(table, "trim", {str, {"cutset", type::string()}}, [](arguments given) {
        auto const set = code_points(given[1].as_string());
        return trim(given[0].as_string(), [&](char32_t code) { return set.find(code) != std::u32string::npos; });
    });
    add_text(table, "trimprefix", {str, {"prefix", type::string()}}, [](arguments given) {
        auto const& text = given[0].as_string();
        return text.starts_with(given[1].as_string()) ? text.substr(given[1].as_string().size()) : text;
    });
    add_text(table, "trimsuffix", {str, {"suffix", type::string()}}, [](arguments given) {
        auto const& text = given[0].as_string();
        auto const& suffix = given[1].as_string();
        return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
    });
    add_text(table, "chomp", {str}, [](arguments given) {
        auto text = given[0].as_string();
        while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
        return text;
    });
    add_text(table, "strrev", {str}, [](arguments given) {
        auto const all = graphemes(given[0].as_string());
        std::string out;
        for (auto one = all.rbegin(); one != all.rend(); ++one) out += *one;
        return out;
    });
    table.add("replace", {str, {"substr", type::string()}, {"replace", type::string()}}, type::string(), replace);
    table.add("substr", {str, {"offset", type::number()}, {"length", type::number()}}, type::string(), substr);
    table.add("indent", {{"spaces", type::number()}, str}, type::string(), indent);
    table.add("join", {{"separator", type::string()}}, type::string(), join).variadic =
        parameter{"lists", type::list(type::string())};
    table.add("split", {{"separator", type::string()}, str}, type::list(type::string()), split);
    table.add("startswith", {{"str", type::string(), false, true}, {"prefix", type::string()}}, type::boolean(),
        [](arguments given) -> call_result<value> {
            std::string_view const desired = given[1].as_string();
            auto const begin = given[0].known_prefix();
            if (begin.starts_with(desired)) return value(true);
            if (given[0].has_data() || !desired.starts_with(begin)) return value(false);
            return value::unknown(type::boolean()).refined_not_null();
        });
    add_test(table, "endswith", "suffix", [](std::string_view a, std::string_view b) { return a.ends_with(b); });
    add_test(table, "strcontains", "substr",
        [](std::string_view a, std::string_view b) { return a.find(b) != std::string_view::npos; });
}

}  // namespace iacctl::language::detail
