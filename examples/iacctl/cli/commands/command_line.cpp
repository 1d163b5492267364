// SPDX-License-Identifier: BSL-1.0
#include "command_line.hpp"

#include "base/characters.hpp"
#include "base/environment.hpp"
#include "base/shell_words.hpp"
#include "base/suggestion.hpp"
#include "command_table.hpp"
#include "help.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace iacctl::commands {

namespace {

namespace infra = strider::infra;

// The name and the value of an argument such as "-lock=false", "--lock" or "-h".
struct written_option {
    std::string_view name;
    std::optional<std::string_view> value;
};

auto as_option(std::string_view argument) -> std::optional<written_option>
{
    std::size_t const dashes = argument.starts_with("--") ? 2 : 1;
    if (!argument.starts_with('-') || argument.size() == dashes || !is_letter(argument[dashes])) return std::nullopt;
    argument.remove_prefix(dashes);
    auto const equals = argument.find('=');
    if (equals == std::string_view::npos) return written_option{argument, {}};
    return written_option{argument.substr(0, equals), argument.substr(equals + 1)};
}

auto asks_for_help(written_option const& given) -> bool
{
    return given.name == "help" || given.name == "h";
}

// The error for a line that ends before a command.
// \param group  the first word of the missing command, if it has two
auto missing_command(std::string const& group) -> infra::diagnostic
{
    std::string const begin = group.empty() ? group : group + ' ';
    auto candidates = all_commands();
    if (group.empty()) candidates = candidates.first(count_of_main_commands());
    std::string names;
    for (command const* const one : candidates)
        if (one->name.starts_with(begin))
            names += (names.empty() ? "" : ", ") + std::string(one->name.substr(begin.size()));
    if (group.empty()) names += " …";
    return make_error(messages::command_missing, {group.empty() ? group : ' ' + group, names});
}

class parser {
public:
    explicit parser(std::vector<std::string> words) : words_(std::move(words)) { read_.global.declare(global_); }

    auto parse() -> std::variant<parsed_line, help_text, command_line_error>
    {
        auto parsed = parse_words();
        if (auto* const wrong = std::get_if<infra::diagnostic>(&parsed))
            return command_line_error{std::move(*wrong), std::move(read_)};
        if (auto* const help = std::get_if<help_text>(&parsed)) return std::move(*help);
        return std::move(read_);
    }

private:
    struct complete {};
    using result = std::variant<complete, help_text, infra::diagnostic>;

    auto parse_words() -> result
    {
        while (next_ < words_.size()) {
            auto const given = as_option(words_[next_]);
            if (!given) break;
            if (asks_for_help(*given)) return help_text{help_of_program()};
            if (given->name == "version" || given->name == "v") return version();
            auto const* const known = global_.find(given->name);
            if (known == nullptr) return unknown_option(given->name, global_, {});
            if (auto wrong = take(*known, *given, {})) return std::move(*wrong);
        }
        if (next_ == words_.size()) return missing_command({});
        return parse_command();
    }

    auto version() -> result
    {
        begin(*find_command("version"));
        return complete();
    }

    auto parse_command() -> result
    {
        std::string name = words_[next_++];
        bool const has_more = next_ < words_.size() && !as_option(words_[next_]);
        bool const is_group = has_subcommands(name);
        if (is_group && has_more && find_command(name + ' ' + words_[next_]) != nullptr) name += ' ' + words_[next_++];
        command const* const found = find_command(name);
        if (found == nullptr) return unknown_command({}, name);
        if (found->begin == nullptr) {
            if (has_more) return unknown_command(name, words_[next_]);
            if (next_ < words_.size() && asks_for_help(*as_option(words_[next_])))
                return help_text{help_of_group(name)};
            return missing_command(name);
        }
        begin(*found);
        if (auto wrong = add_words_of_environment(name)) return std::move(*wrong);
        return parse_arguments(*found);
    }

    void begin(command const& named)
    {
        read_.named = &named;
        read_.parsed = named.begin();
    }

    // Inserts the arguments in TF_CLI_ARGS and, for "state list", in TF_CLI_ARGS_state_list. The command line comes
    // last, so it takes precedence.
    auto add_words_of_environment(std::string_view command) -> std::optional<infra::diagnostic>
    {
        std::string suffix(command);
        std::ranges::replace_if(suffix, [](char c) { return c == ' ' || c == '-'; }, '_');
        for (std::string const& variable : {std::string("TF_CLI_ARGS"), "TF_CLI_ARGS_" + suffix}) {
            auto words = split_shell_words(environment_variable(variable.c_str()));
            if (!words) return make_error(messages::invalid_arguments_in_environment, {variable});
            words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(next_), std::make_move_iterator(words->begin()),
                std::make_move_iterator(words->end()));
        }
        return std::nullopt;
    }

    // Also reads what follows a mistake, which may set how the mistake is reported.
    auto parse_arguments(command const& c) -> result
    {
        option_list const& accepted = read_.parsed->options();
        std::vector<std::string>& arguments = read_.parsed->arguments();
        std::optional<infra::diagnostic> mistake;
        bool only_positional = false;
        while (next_ < words_.size()) {
            auto const given = only_positional ? std::nullopt : as_option(words_[next_]);
            if (!given) {
                bool const ends_options = !only_positional && words_[next_] == "--";
                if (!ends_options) arguments.push_back(std::move(words_[next_]));
                only_positional = only_positional || ends_options || c.positional.after_options;
                ++next_;
                continue;
            }
            if (asks_for_help(*given) && !mistake) return help_text{help_of(c)};
            option const* const known = accepted.find(given->name);
            auto wrong =
                known == nullptr ? unknown_option(given->name, accepted, c.name) : take(*known, *given, c.name);
            if (known == nullptr) ++next_;
            if (!mistake) mistake = std::move(wrong);
        }
        if (mistake) return *std::move(mistake);
        state_file_options const files = read_.parsed->for_session();
        if (!files.state_file && (files.state_out || files.backup))
            return make_error(messages::state_file_missing, {files.state_out ? "-state-out" : "-backup"});
        if (arguments.size() <= c.positional.most) return complete();
        if (c.positional.too_many != nullptr) return make_error(*c.positional.too_many);
        return make_error(messages::too_many_arguments, {c.name});
    }

    // Stores the value of the option at `next_`.
    auto take(option const& known, written_option const& given, std::string_view command)
        -> std::optional<infra::diagnostic>
    {
        std::string const usage = command.empty() ? std::string() : ' ' + std::string(command);
        std::string const name = '-' + std::string(known.name);
        std::string value(given.value.value_or("true"));
        ++next_;
        if (known.form == option_form::with_value && !given.value) {
            if (next_ == words_.size())
                return make_error(messages::option_value_missing, {name, std::string(known.value), usage});
            value = std::move(words_[next_++]);
        }
        if (value.empty() && (known.value == "FILE" || known.value == "DIR"))
            return make_error(messages::invalid_option,
                {value, name, known.value == "FILE" ? "the name of a file" : "the name of a directory", usage});
        if (auto const accepted = known.set(value))
            return make_error(messages::invalid_option, {value, name, *accepted, usage});
        return std::nullopt;
    }

    static auto unknown_option(std::string_view name, option_list const& accepted, std::string_view command)
        -> infra::diagnostic
    {
        static constexpr std::array<std::string_view, 4> of_state_files{"state", "state-out", "backup", "backup-out"};
        if (accepted.find("lock") != nullptr && std::ranges::find(of_state_files, name) != of_state_files.end())
            return make_error(messages::legacy_state_option, {'-' + std::string(name)});
        std::vector<std::string_view> candidates;
        for (option const& one : accepted.all()) candidates.push_back(one.name);
        auto const close = name_suggestion(name, candidates);
        return make_error(messages::unknown_option,
            {'-' + std::string(name), command.empty() ? std::string() : ' ' + std::string(command),
                close.empty() ? std::string() : " Did you mean -" + close + "?"});
    }

    static auto unknown_command(std::string const& group, std::string const& word) -> infra::diagnostic
    {
        std::string const before = group.empty() ? std::string() : group + ' ';
        std::vector<std::string_view> candidates;
        for (command const* const one : all_commands())
            if (one->name.starts_with(before)) candidates.push_back(one->name.substr(before.size()));
        return make_error(
            messages::unknown_command, {group.empty() ? group : ' ' + group, word, did_you_mean(word, candidates)});
    }

    std::vector<std::string> words_;
    std::size_t next_ = 0;
    parsed_line read_;
    option_list global_;
};

}  // namespace

auto parse_command_line(std::vector<std::string> arguments) -> std::variant<parsed_line, help_text, command_line_error>
{
    return parser(std::move(arguments)).parse();
}

}  // namespace iacctl::commands
