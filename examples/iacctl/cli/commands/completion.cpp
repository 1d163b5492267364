// SPDX-License-Identifier: BSL-1.0
#include "completion.hpp"

#include "base/shell_words.hpp"
#include "help.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace iacctl::commands {

namespace {

// The words of an incomplete line; the last one, which may be empty, is the one to complete.
auto words_of(std::string_view line) -> std::vector<std::string>
{
    // The mark begins and ends the last word; an open quote is closed after it.
    constexpr char mark = '\x01';
    for (std::string_view const closing : {"", "'", "\""})
        if (auto words = split_shell_words(std::string(line) + mark + std::string(closing))) {
            words->back().pop_back();
            return std::move(*words);
        }
    return {};
}

class completer {
public:
    completer(std::string_view line, std::function<std::vector<std::string>(completion)> const& values)
        : values_(values),
          words_(words_of(line))
    {}

    auto complete() -> std::vector<candidate>
    {
        if (words_.size() < 2) return {};
        while (next_ + 1 < words_.size() && words_[next_].starts_with('-'))
            next_ += words_[next_] == "-chdir" || words_[next_] == "--chdir" ? 2U : 1U;
        if (next_ + 1 >= words_.size()) {
            add_commands({});
            option_list accepted;
            global_options global;
            global.declare(accepted);
            for (option const& one : accepted.all()) add_option(one);
            return std::move(found_);
        }
        std::string name = words_[next_++];
        if (has_subcommands(name) && next_ + 1 == words_.size()) add_commands(name + ' ');
        if (next_ + 1 < words_.size() && find_command(name + ' ' + words_[next_]) != nullptr)
            name += ' ' + words_[next_++];
        if (auto const* const command = find_command(name); command != nullptr && command->begin != nullptr)
            complete_arguments(*command);
        return std::move(found_);
    }

private:
    void complete_arguments(command const& c)
    {
        auto const parsed = c.begin();
        option_list const& accepted = parsed->options();
        std::string_view const word = words_.back();
        option const* awaits_value = nullptr;
        for (; next_ + 1 < words_.size(); ++next_) {
            option const* const one = awaits_value == nullptr ? named(accepted, words_[next_]) : nullptr;
            bool const is_complete = one == nullptr || one->form != option_form::with_value;
            awaits_value = is_complete || words_[next_].find('=') != std::string::npos ? nullptr : one;
        }
        if (awaits_value != nullptr) return add_values({}, awaits_value->values, awaits_value->choices);
        auto const equals = word.find('=');
        if (word.starts_with('-') && equals != std::string_view::npos) {
            auto const* const one = named(accepted, word);
            if (one == nullptr) return;
            bool const is_flag = one->form != option_form::with_value;
            return add_values(word.substr(0, equals + 1), one->values, is_flag ? "true false" : one->choices);
        }
        if (word.starts_with('-'))
            for (option const& one : accepted.all()) add_option(one);
        else add_values({}, c.positional.values, c.positional.choices);
    }

    static auto named(option_list const& accepted, std::string_view word) -> option const*
    {
        if (!word.starts_with('-')) return nullptr;
        word.remove_prefix(word.starts_with("--") ? 2 : 1);
        return accepted.find(word.substr(0, word.find('=')));
    }

    void add(std::string text, std::string_view description = {})
    {
        if (text.starts_with(words_.back())) found_.push_back({std::move(text), description});
    }
    void add_option(option const& o)
    {
        std::string const dashes = words_.back().starts_with("--") ? "--" : "-";
        if (!words_.back().empty()) add(dashes + std::string(o.name) + (o.form == option_form::on ? "" : "="), o.help);
    }
    void add_commands(std::string const& group)
    {
        for (command const* const one : all_commands())
            if (one->name.starts_with(group) && !is_hidden(*one)
                && one->name.find(' ', group.size()) == std::string_view::npos)
                add(std::string(one->name.substr(group.size())), one->summary);
    }
    void add_values(std::string_view before, completion kind, std::string_view choices)
    {
        while (!choices.empty()) {
            auto const one = choices.substr(0, choices.find(' '));
            choices.remove_prefix(std::min(choices.size(), one.size() + 1));
            add(std::string(before) + std::string(one));
        }
        bool const of_workspace =
            kind == completion::address || kind == completion::module || kind == completion::workspace;
        if (of_workspace || kind == completion::message)
            for (auto const& one : values_(kind)) add(std::string(before) + one);
    }

    std::function<std::vector<std::string>(completion)> const& values_;
    std::vector<std::string> words_;
    std::size_t next_ = 1;
    std::vector<candidate> found_;
};

}  // namespace

auto complete_line(std::string_view line, std::function<std::vector<std::string>(completion)> const& values)
    -> std::vector<candidate>
{
    return completer(line, values).complete();
}

}  // namespace iacctl::commands
