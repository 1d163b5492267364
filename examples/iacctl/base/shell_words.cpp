// SPDX-License-Identifier: BSL-1.0
#include "shell_words.hpp"

#include <cstddef>
#include <utility>

namespace iacctl {

auto split_shell_words(std::string_view text) -> std::optional<std::vector<std::string>>
{
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = '\0';
    auto const begin_word = [&]() -> std::string& { return word ? *word : word.emplace(); };
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        bool const escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
        // Between double quotes, a backslash is an ordinary character unless it precedes one of these.
        bool const keeps_backslash =
            escapes && quote == '"' && std::string_view("\"\\$`").find(text[i + 1]) == std::string_view::npos;
        if (escapes && !keeps_backslash) begin_word() += text[++i];
        else if (quote != '\0' && c == quote) quote = '\0';
        else if (quote != '\0') begin_word() += c;
        else if (c == '"' || c == '\'') {
            quote = c;
            begin_word();
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (word) words.push_back(std::move(*word));
            word.reset();
        } else begin_word() += c;
    }
    if (quote != '\0') return std::nullopt;
    if (word) words.push_back(std::move(*word));
    return words;
}

auto shell_word(std::string_view text) -> std::string
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=@%+";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
    std::string quoted = "'";
    for (char const c : text) {
        if (c == '\'') quoted += "'\\''";
        else quoted += c;
    }
    return quoted + '\'';
}

}  // namespace iacctl
