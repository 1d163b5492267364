// SPDX-License-Identifier: BSL-1.0
#include "addresses.hpp"

#include "base/characters.hpp"
#include "base/suggestion.hpp"
#include "language/syntax/references.hpp"
#include "messages/commands.hpp"
#include "messages/configuration.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

// A part of an address: a name, or the content of brackets.
struct step {
    bool is_name = true;
    bool is_whole = true;  // of a number
    std::string text;
};

auto begins_name(char c) -> bool
{
    return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// The mistake in an address; nothing if only its numbers remain to be read.
using address_problem = std::optional<infra::diagnostic>;

// Splits `module.m["k"].type.name[0]`, or reports the mistake in it.
class splitter {
public:
    explicit splitter(std::string_view text) : text_(text), rest_(text) {}

    [[nodiscard]] auto split(std::vector<step>& to) -> address_problem
    {
        if (rest_.empty() || !begins_name(rest_.front())) return make_error(messages::address_without_name);
        to.push_back({true, true, take_name()});
        while (!rest_.empty()) {
            char const next = rest_.front();
            if (next != '.' && next != '[') return make_error(messages::address_unexpected_character, {column()});
            std::string const opened = column();
            rest_.remove_prefix(1);
            address_problem found = next == '.' ? attribute(to, opened) : index(to, opened);
            if (found) return found;
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

    // The column of the rest, in characters.
    [[nodiscard]] auto column() const -> std::string
    {
        auto const begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
        return std::to_string(std::ranges::count_if(text_.substr(0, text_.size() - rest_.size()), begins) + 1);
    }

    // \param opened  the column of the dot
    auto attribute(std::vector<step>& to, std::string const& opened) -> address_problem
    {
        if (rest_.starts_with('.')) return make_error(messages::address_dot_twice, {opened, column()});
        if (rest_.empty()) return make_error(messages::address_dot_without_name, {opened});
        if (rest_.front() == '*') return make_error(messages::address_with_splat);
        if (is_digit(rest_.front())) to.push_back({false, true, take_while(is_digit)});
        else if (begins_name(rest_.front())) to.push_back({true, true, take_name()});
        else return make_error(messages::address_dot_without_name, {opened});
        return {};
    }

    // \param opened  the column of the bracket
    auto index(std::vector<step>& to, std::string const& opened) -> address_problem
    {
        if (rest_.starts_with("*]")) return make_error(messages::address_with_splat);
        if (!rest_.empty() && is_digit(rest_.front())) to.push_back(take_number());
        else if (!rest_.empty() && rest_.front() == '"') {
            std::size_t end = 1;
            while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
            if (end >= rest_.size()) return make_error(messages::address_index_not_constant, {opened});
            to.push_back({false, true, std::string(rest_.substr(0, end + 1))});
            rest_.remove_prefix(end + 1);
        } else return make_error(messages::address_index_not_constant, {opened});
        if (!rest_.starts_with(']')) return make_error(messages::address_index_not_closed, {opened});
        rest_.remove_prefix(1);
        return {};
    }

    std::string_view text_;
    std::string_view rest_;
};

auto problem_with(std::string const& text, bool of_module_too) -> address_problem
{
    std::vector<step> steps;
    if (auto found = splitter(text).split(steps)) return found;
    std::span<step const> rest(steps);
    while (!rest.empty() && rest.front().text == "module") {
        if (rest.size() < 2 || !rest[1].is_name) return make_error(messages::address_without_module_name);
        rest = rest.subspan(2);
        if (rest.empty() || rest.front().is_name) continue;
        if (!rest.front().is_whole) return make_error(messages::address_index_out_of_range);
        rest = rest.subspan(1);
    }
    if (rest.empty() && !of_module_too) return make_error(messages::address_of_module);
    if (rest.empty()) return {};
    std::string_view const first = rest.front().text;
    bool const of_action = first == "action" && rest.size() > 2 && rest[2].is_name;
    if (of_action) return make_error(messages::address_of_action);
    if (first == "data" || first == "ephemeral" || first == "resource") rest = rest.subspan(1);
    else if (language::is_reserved_root(rest.front().text))
        return make_error(messages::address_with_reserved_word, {rest.front().text});
    if (rest.size() < 2 || !rest[0].is_name || !rest[1].is_name)
        return make_error(messages::address_without_type_and_name);
    if (rest.size() > 3) return make_error(messages::address_goes_on);
    if (rest.size() == 3 && rest[2].is_name) return make_error(messages::address_index_without_brackets);
    return {};
}

auto unreadable(address_problem found) -> infra::failure
{
    return infra::failure(found ? std::move(*found) : make_error(messages::address_index_out_of_range));
}

}  // namespace

auto read_instance(std::string const& text) -> expected<infra::address>
{
    auto found = problem_with(text, false);
    auto parsed = infra::parse_address(text);
    if (found || !parsed) return unreadable(std::move(found));
    return std::move(*parsed);
}

auto read_target(std::string const& text) -> expected<infra::address>
{
    auto found = problem_with(text, true);
    if (found) return unreadable(std::move(found));
    if (auto parsed = infra::parse_address(text)) return std::move(*parsed);
    auto within = infra::parse_address(text + ".any.any");
    if (!within || within->module().empty()) return unreadable({});
    return infra::address(within->module(), infra::resource_mode::managed, {}, {}, {});
}

auto mistake_in(infra::failure const& unread) -> std::string const&
{
    return unread.why().front().detail;
}

auto address_suggestion(std::string const& text, infra::snapshot const& in) -> std::string
{
    // One name represents all instances of a resource, and one represents all objects of a module.
    std::vector<std::string> names;
    for (auto const& [address, _] : in.resources) {
        names.push_back(to_string(address));
        auto resource = to_string(address.resource());
        if (address.key() && resource == text) return " Did you mean " + names.back() + "?";
        if (address.key()) names.push_back(std::move(resource));
        if (!address.module().empty()) names.push_back(to_string(address.module()));
    }
    std::vector<std::string_view> const views(names.begin(), names.end());
    return did_you_mean(text, views);
}

}  // namespace iacctl::commands
