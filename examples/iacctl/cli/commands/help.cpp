// SPDX-License-Identifier: BSL-1.0
#include "help.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace iacctl::commands {

namespace {

constexpr std::size_t width = 80;

// Appends words in lines of at most `width` characters. The text begins at `column`; further lines are indented by `indent`.
void append_wrapped(std::string& to, std::string_view text, std::size_t indent, std::size_t column)
{
    bool is_first = true;
    while (!text.empty()) {
        std::string_view const word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (!is_first && column + 1 + word.size() > width) {
            to += '\n';
            to.append(indent, ' ');
            column = indent;
        } else if (!is_first) {
            to += ' ';
            ++column;
        }
        to += word;
        column += word.size();
        is_first = false;
    }
    to += '\n';
}

struct row {
    std::string name;
    std::string_view text;
};

// Appends rows in two columns. A name that is wider than the first column has a line of its own.
void append_rows(std::string& to, std::vector<row> const& rows, std::size_t first_column)
{
    std::size_t const indent = first_column + 4;
    for (row const& one : rows) {
        to += "  " + one.name;
        if (one.name.size() > first_column) {
            to += '\n';
            to.append(indent, ' ');
        } else to.append(indent - 2 - one.name.size(), ' ');
        append_wrapped(to, one.text, indent, indent);
    }
}

void append_options(std::string& to, option_list const& all)
{
    for (option_group const& group : all.groups()) {
        to += '\n' + std::string(group.title) + ":\n\n";
        std::vector<row> rows;
        for (option const& one : group.options) rows.push_back({usage_of(one), one.help});
        append_rows(to, rows, 24);
    }
}

void append_commands(std::string& to, std::vector<row> const& rows)
{
    std::size_t widest = 0;
    for (row const& one : rows) widest = std::max(widest, one.name.size());
    append_rows(to, rows, widest);
}

void append_subcommands(std::string& to, std::string_view group)
{
    to += "\nCommands:\n\n";
    std::vector<row> rows;
    for (command const* const one : all_commands())
        if (one->name.starts_with(std::string(group) + ' '))
            rows.push_back({std::string(one->name.substr(group.size() + 1)), one->summary});
    append_commands(to, rows);
}

}  // namespace

auto usage_of(option const& o) -> std::string
{
    std::string text = '-' + std::string(o.name);
    if (!o.value.empty()) text += '=' + std::string(o.value);
    return text;
}

auto help_of_program() -> std::string
{
    std::string text = "Usage: iacctl [global options] COMMAND [options]\n\n"
                       "Plans and applies infrastructure that is described in Terraform's language.\n"
                       "\"iacctl COMMAND -help\" describes a command.\n\nMain commands:\n\n";
    std::vector<row> main;
    std::vector<row> others;
    for (command const* const one : all_commands())
        if (main.size() < count_of_main_commands()) main.push_back({std::string(one->name), one->summary});
        else if (!is_hidden(*one) && one->name.find(' ') == std::string_view::npos)
            others.push_back({std::string(one->name), one->summary});
    for (row& one : main) one.name.resize(12, ' ');
    append_commands(text, main);
    text += "\nAll other commands:\n\n";
    append_commands(text, others);
    option_list accepted;
    global_options global;
    global.declare(accepted);
    append_options(text, accepted);
    return text;
}

auto help_of_group(std::string_view name) -> std::string
{
    std::string text = "Usage: iacctl [global options] " + std::string(name) + " COMMAND [options]\n\n";
    if (auto const* const group = find_command(name)) text += "  " + std::string(group->summary) + ".\n";
    append_subcommands(text, name);
    return text;
}

auto help_of(command const& c) -> std::string
{
    std::string text = "Usage: iacctl [global options] " + std::string(c.name);
    if (has_subcommands(c.name)) text += " [COMMAND]";
    text += " [options]";
    if (!c.positional.usage.empty()) text += ' ' + std::string(c.positional.usage);
    text += "\n\n  ";
    append_wrapped(text, c.description, 2, 2);
    if (has_subcommands(c.name)) append_subcommands(text, c.name);
    append_options(text, c.begin()->options());
    if (c.examples.empty()) return text;
    text += "\nExamples:\n\n";
    for (std::string_view const example : c.examples) text += "  " + std::string(example) + '\n';
    return text;
}

}  // namespace iacctl::commands
