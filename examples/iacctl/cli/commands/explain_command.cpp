// SPDX-License-Identifier: BSL-1.0
// The explanations of messages.
#include "base/json_writer.hpp"
#include "base/suggestion.hpp"
#include "commands.hpp"
#include "messages/catalogue.hpp"
#include "messages/commands.hpp"
#include "messages/exit_codes.hpp"
#include "messages/explanations.hpp"
#include "messages/report.hpp"
#include "session.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::commands {

namespace {

using messages::message_text;

// The pattern of a message with "..." in place of its arguments.
auto shown(std::string_view pattern) -> std::string
{
    std::array<std::string_view, 10> arguments;
    arguments.fill("...");
    return messages::filled(pattern, arguments);
}

auto as_json(message_text const& text) -> std::string
{
    json_object out;
    out.text("code", text.code).text("summary", shown(text.summary)).text("message", shown(text.detail));
    out.text("explanation", messages::explanation_of(text.code));
    return out.raw("exit_code", std::to_string(messages::exit_code_of(text.code))).done();
}

auto as_text(message_text const& text, views::text_options const& options) -> std::string
{
    std::string out = views::painter(options.colour)(views::text_style::bold, shown(text.summary)) + " ["
        + std::string(text.code) + "]\n\n";
    out += views::word_wrapped(messages::explanation_of(text.code), options.width);
    out += "\nThe message, with \"...\" in place of its arguments:\n\n";
    std::string const message =
        views::word_wrapped(shown(text.detail), options.width - std::min<std::size_t>(options.width, 2));
    for (std::size_t at = 0; at < message.size();) {
        auto const end = std::min(message.find('\n', at), message.size());
        out += end == at ? "\n" : "  " + message.substr(at, end - at) + '\n';
        at = end + 1;
    }
    auto const code = messages::exit_code_of(text.code);
    return code == 1 ? out
                     : out + "\nA command that ends with this error has the exit code " + std::to_string(code) + ".\n";
}

struct explain_options : options_with<json_options> {
    bool list_codes = false;

    void declare(option_list& to)
    {
        to.on("list", "List the codes of all messages.", list_codes);
        options_with::declare(to);
    }
};

auto explain(explain_options const& options, session const& s) -> int
{
    if (options.list_codes != options.arguments.empty())
        return s.report(make_error(messages::arguments_missing, {s.runs().name, "the code of a message, or -list"}));
    if (options.list_codes) {
        json_array all;
        for (message_text const& one : messages::all_messages())
            if (options.json) all.raw(as_json(one));
            else s.out() << one.code << ": " << shown(one.summary) << '\n';
        if (options.json) s.out() << all.done() << '\n';
        return 0;
    }
    // The code may be in brackets, as in diagnostics.
    std::string code = options.arguments.front();
    if (code.starts_with('[') && code.ends_with(']')) code = code.substr(1, code.size() - 2);
    if (auto const* const found = messages::find_message(code)) {
        s.out() << (options.json ? as_json(*found) + '\n' : as_text(*found, s.text()));
        return 0;
    }
    std::vector<std::string_view> codes;
    for (message_text const& one : messages::all_messages()) codes.push_back(one.code);
    return s.report(make_error(messages::unknown_code, {code, did_you_mean(code, codes)}));
}

constexpr std::string_view examples_of_explain[] = {"iacctl explain state_locked", "iacctl explain -list"};

}  // namespace

constinit command const explain_command{"explain", {}, begin<explain>, "Explain a message",
    "Shows what a message means, and what to do about it. Each message ends with its code in brackets.",
    {"CODE", 1, completion::message}, examples_of_explain};

}  // namespace iacctl::commands
