// SPDX-License-Identifier: BSL-1.0
#include "option_list.hpp"

#include <utility>

namespace iacctl::commands {

void option_list::begin_group(std::string_view title)
{
    groups_.push_back({title, {}});
}

void option_list::add(option o)
{
    if (groups_.empty()) begin_group("Options");
    groups_.back().options.push_back(std::move(o));
}

void option_list::on(std::string_view name, std::string_view help, bool& to)
{
    add({name, option_form::on, {}, help, [&to](std::string const& text) { return read_into(to, text); }});
}

void option_list::off(std::string_view name, std::string_view help, bool& to)
{
    add({name, option_form::off, "false", help, [&to](std::string const& text) { return read_into(to, text); }});
}

void option_list::on_for_false(std::string_view name, std::string_view help, bool& to)
{
    add({name, option_form::on, {}, help, [&to](std::string const& text) {
             bool opposite = !to;
             auto wrong = read_into(opposite, text);
             to = !opposite;
             return wrong;
         }});
}

void option_list::with_value(
    std::string_view name, std::string_view value, std::string_view help, option::setter set, completion values)
{
    add({name, option_form::with_value, value, help, std::move(set), values});
}

void option_list::ignored_flag(std::string_view name, std::string_view help)
{
    add({name, option_form::on, {}, help, [](std::string const& text) {
             bool ignored = false;
             return read_into(ignored, text);
         }});
}

void option_list::ignored_value(std::string_view name, std::string_view value, std::string_view help)
{
    with_value(name, value, help, [](std::string const&) { return value_problem(); });
}

auto option_list::find(std::string_view name) const -> option const*
{
    for (option const& one : all())
        if (one.name == name) return &one;
    return nullptr;
}

}  // namespace iacctl::commands
