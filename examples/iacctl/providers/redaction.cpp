// SPDX-License-Identifier: BSL-1.0
#include "redaction.hpp"

#include "base/characters.hpp"
#include "base/encoding.hpp"
#include "base/go_quoted.hpp"
#include "base/http/url.hpp"
#include "base/json_text.hpp"
#include "base/trimmed.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace iacctl::providers {

namespace {

using language::mark;
using language::type_kind;
using language::value;

constexpr std::size_t longest_word = 3;  // longer texts are replaced inside of words, too

auto without_quotes(std::string const& quoted) -> std::string
{
    return quoted.substr(1, quoted.size() - 2);
}

// Each byte that has a meaning in a part of a URL as "%2F".
auto percent_encoded(std::string_view text) -> std::string
{
    constexpr std::string_view plain = "-._~";
    std::string made;
    for (char const c : text) {
        if (is_alphanumeric(c) || plain.find(c) != std::string_view::npos) made += c;
        else append_percent(made, c);
    }
    return made;
}

auto is_of_word(char c) -> bool
{
    return is_alphanumeric(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80U;
}

// Returns whether a part of a text is not a part of a longer word.
auto is_word(std::string_view text, std::size_t at, std::size_t size) -> bool
{
    bool const begins = at == 0 || !is_of_word(text[at - 1]);
    return begins && (at + size == text.size() || !is_of_word(text[at + size]));
}

}  // namespace

void redaction::collect(value const& v, mark inherited)
{
    mark const because = inherited | v.marks();
    if ((because | v.deep_marks()) == mark::none || !v.has_data()) return;
    for (value const& element : v.elements()) collect(element, because);
    for (language::value_entry const& entry : v.entries()) {
        if (because != mark::none && v.is(type_kind::map)) add_parts(entry.key, because);
        collect(entry.of, because);
    }
    if (because == mark::none) return;
    if (v.is(type_kind::string)) add_parts(v.as_string(), because);
    if (v.is(type_kind::number)) add(v.as_number().text(), because);
}

void redaction::add(std::string_view text, mark because)
{
    if (text.empty()) return;
    std::string json;
    append_json_string(json, text);
    all_.push_back({std::string(text), because});
    for (std::string form : {without_quotes(json), without_quotes(go_quoted(text)), percent_encoded(text)})
        if (form != text) all_.push_back({std::move(form), because});
}

void redaction::add_parts(std::string const& text, mark because)
{
    add(trimmed(text), because);
    auto const add_long = [&](std::string_view part) {
        part = trimmed(part);
        if (part.size() > longest_word) add(part, because);
    };
    if (text.find('\n') != std::string::npos)
        for (std::size_t begin = 0; begin < text.size();) {
            auto const end = std::min(text.find('\n', begin), text.size());
            add_long(std::string_view(text).substr(begin, end - begin));
            begin = end + 1;
        }
    if (text.starts_with('{') || text.starts_with('['))
        if (auto const document = language::from_json(text)) {
            auto const before = static_cast<std::ptrdiff_t>(all_.size());
            collect(*document, because);
            auto const is_short = [](hidden const& h) { return h.text.size() <= longest_word; };
            all_.erase(std::remove_if(all_.begin() + before, all_.end(), is_short), all_.end());
        }
    if (auto const slash = text.rfind('/'); slash != std::string::npos) {
        add_long(std::string_view(text).substr(0, slash));
        add_long(std::string_view(text).substr(slash + 1));
    }
    if (auto const url = http::url::parse(text)) {
        auto const query = std::min(url->target.find('?'), url->target.size());
        for (std::string const& part : {url->user_info, url->authority(), url->host, url->target,
                 url->target.substr(0, query), url->target.substr(query)})
            add_long(part);
    }
}

auto redaction::redacted(std::string_view text) const -> std::string
{
    std::vector<mark> covered(text.size(), mark::none);
    bool found = false;
    for (hidden const& one : all_)
        for (std::size_t at = text.find(one.text); at != std::string_view::npos; at = text.find(one.text, at + 1)) {
            if (one.text.size() <= longest_word && !is_word(text, at, one.text.size())) continue;
            for (std::size_t i = at; i < at + one.text.size(); ++i) covered[i] |= one.because;
            found = true;
        }
    if (!found) return std::string(text);
    std::string made;
    for (std::size_t i = 0; i < text.size();) {
        if (covered[i] == mark::none) {
            made += text[i++];
            continue;
        }
        mark because = mark::none;
        for (; i < text.size() && covered[i] != mark::none; ++i) because |= covered[i];
        bool const sensitive = (because & mark::sensitive) != mark::none;
        made += sensitive ? "(sensitive value)" : "(ephemeral value)";
    }
    return made;
}

void redaction::apply(strider::infra::diagnostics& to) const
{
    to.update([this](strider::infra::diagnostic& problem) {
        problem.summary = redacted(problem.summary);
        problem.detail = redacted(problem.detail);
        for (std::string& argument : problem.arguments) argument = redacted(argument);
    });
}

auto marks_text(language::value const& config) -> std::string
{
    using language::mark;
    bool const sensitive = config.has_deep(mark::sensitive);
    bool const ephemeral = config.has_deep(mark::ephemeral);
    if (!ephemeral) return sensitive ? "sensitive" : "";
    return sensitive ? "sensitive, ephemeral" : "ephemeral";
}

auto suppressed_line(std::string const& marks) -> std::string
{
    return "(output suppressed due to " + marks + " value in config)";
}

auto hidden_text(std::string const& marks, std::string_view text) -> std::string
{
    return "(hidden, because the configuration of " + std::string(text) + " has " + marks + " values)";
}

}  // namespace iacctl::providers
