// SPDX-License-Identifier: BSL-1.0
#include "addresses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// A part of what is written: a name, or what stands in brackets.
struct step {
    bool is_name = true;
    bool is_whole = true;  // of a number
    std::string text;
};

auto begins_name(char c) -> bool
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
auto is_digit(char c) -> bool
{
    return c >= '0' && c <= '9';
}

// Splits `module.m["k"].type.name[0]`; or says why that cannot be done.
class splitter {
public:
    explicit splitter(std::string_view text) : rest_(text) {}

    [[nodiscard]] auto split(std::vector<step>& to) -> std::string
    {
        if (rest_.empty() || !begins_name(rest_.front())) return "Must begin with a variable name.";
        to.push_back({true, true, take_name()});
        while (!rest_.empty()) {
            char const next = rest_.front();
            rest_.remove_prefix(1);
            std::string problem = next == '.' ? attribute(to)
                : next == '['                 ? index(to)
                                              : "Expected an attribute access or an index operator.";
            if (!problem.empty()) return problem;
        }
        return {};
    }

private:
    auto take_while(auto const& accepted) -> std::string
    {
        auto const end = std::ranges::find_if_not(rest_, accepted);
        std::string taken(rest_.begin(), end);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    auto take_name() -> std::string
    {
        return take_while([](char c) { return begins_name(c) || is_digit(c) || c == '-'; });
    }
    auto take_number() -> step
    {
        auto text = take_while([](char c) { return is_digit(c) || c == '.'; });
        bool const whole = text.find('.') == std::string::npos;
        return {false, whole, std::move(text)};
    }

    auto attribute(std::vector<step>& to) -> std::string
    {
        if (rest_.empty()) return "Dot must be followed by attribute name.";
        if (rest_.front() == '*') return "Attribute-only splat expressions (.*) may not be used here.";
        if (is_digit(rest_.front())) to.push_back({false, true, take_while(is_digit)});
        else if (begins_name(rest_.front())) to.push_back({true, true, take_name()});
        else return "Dot must be followed by attribute name.";
        return {};
    }

    auto index(std::vector<step>& to) -> std::string
    {
        if (rest_.starts_with("*]")) return "Splat expressions ([*]) may not be used here.";
        if (!rest_.empty() && is_digit(rest_.front())) to.push_back(take_number());
        else if (!rest_.empty() && rest_.front() == '"') {
            std::size_t end = 1;
            while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
            if (end >= rest_.size()) return "Index brackets must contain either a literal number or a literal string.";
            to.push_back({false, true, std::string(rest_.substr(0, end + 1))});
            rest_.remove_prefix(end + 1);
        } else return "Index brackets must contain either a literal number or a literal string.";
        if (!rest_.starts_with(']')) return "Index key must be followed by a closing bracket.";
        rest_.remove_prefix(1);
        return {};
    }

    std::string_view rest_;
};

constexpr std::array<std::string_view, 9> reserved{
    "each", "count", "local", "path", "self", "terraform", "var", "template", "lazy"};

// What is wrong with the text of an address; empty: nothing, as far as that can be told without reading its numbers.
auto problem_with(std::string const& text, bool of_module_too) -> std::string
{
    std::vector<step> steps;
    if (auto problem = splitter(text).split(steps); !problem.empty()) return problem;
    std::span<step const> rest(steps);
    while (!rest.empty() && rest.front().text == "module") {
        if (rest.size() < 2 || !rest[1].is_name) return "Prefix \"module.\" must be followed by a module name.";
        rest = rest.subspan(2);
        if (rest.empty() || rest.front().is_name) continue;
        if (!rest.front().is_whole)
            return "Invalid module index: value must be a whole number, between -9223372036854775808 and "
                   "9223372036854775807.";
        rest = rest.subspan(1);
    }
    if (rest.empty() && !of_module_too)
        return "A resource instance address is required here. The module path must be followed by a resource instance "
               "specification.";
    if (rest.empty()) return {};
    if (rest.front().text == "data" || rest.front().text == "resource") rest = rest.subspan(1);
    else if (std::ranges::find(reserved, rest.front().text) != reserved.end())
        return "The keyword \"" + rest.front().text
            + "\" is reserved and cannot be used to target a resource address. If you are targeting a resource type "
              "that "
              "uses a reserved keyword, please prefix your address with \"resource.\".";
    if (rest.size() < 2) return "Resource specification must include a resource type and name.";
    if (!rest[0].is_name) return "A resource type name is required.";
    if (!rest[1].is_name) return "A resource name is required.";
    if (rest.size() > 3) return "Unexpected extra operators after address.";
    if (rest.size() == 3 && rest[2].is_name) return "Resource instance key must be given in square brackets.";
    return {};
}

auto unreadable(std::string problem) -> infra::failure
{
    if (problem.empty())
        problem = "Invalid resource instance key: value must be a whole number, between -9223372036854775808 and "
                  "9223372036854775807.";
    return infra::failure(infra::make_error("Invalid address", std::move(problem)));
}

}  // namespace

auto read_instance(std::string const& text) -> infra::checked<infra::address>
{
    auto problem = problem_with(text, false);
    auto parsed = infra::parse_address(text);
    if (!problem.empty() || !parsed) return unreadable(std::move(problem));
    return std::move(*parsed);
}

auto read_target(std::string const& text) -> infra::checked<infra::address>
{
    auto problem = problem_with(text, true);
    if (!problem.empty()) return unreadable(std::move(problem));
    if (auto parsed = infra::parse_address(text)) return std::move(*parsed);
    auto within = infra::parse_address(text + ".any.any");
    if (!within || within->module().empty()) return unreadable({});
    return infra::address(within->module(), infra::resource_mode::managed, {}, {}, {});
}

}  // namespace iacctl::commands
