// SPDX-License-Identifier: BSL-1.0
#include "base/unicode.hpp"
#include "lsp/cursor.hpp"
#include "lsp/positions.hpp"
#include "lsp/protocol.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace iacctl::lsp {
namespace {

constexpr std::array<std::string_view, 9> pieces{
    "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "e\xCC\x81", "\n", "\r\n", "\r", "\xF0\x90\x8D\x88"};

auto random_text(std::mt19937& random) -> std::string
{
    std::string text;
    for (auto count = random() % 40; count > 0; --count) text += pieces[random() % pieces.size()];
    return text;
}

// The units of a text, counted from its code points.
auto units(std::string_view text, position_encoding encoding) -> std::size_t
{
    if (encoding == position_encoding::utf8) return text.size();
    std::size_t count = 0;
    for (char32_t const code : code_points(text))
        count += encoding == position_encoding::utf16 && code > 0xFFFF ? 2 : 1;
    return count;
}

TEST(LspPositions, ConvertBackToTheirOffsetInEachEncoding)
{
    for (unsigned seed = 1; seed <= 300; ++seed) {
        std::mt19937 random(seed);
        auto const text = random_text(random);
        text_lines const lines(text);
        for (auto const encoding : {position_encoding::utf8, position_encoding::utf16, position_encoding::utf32}) {
            std::size_t line_begin = 0;
            std::uint32_t line = 0;
            for (std::size_t at = 0; at <= text.size(); ++at) {
                if (at > 0
                    && (text[at - 1] == '\n' || (text[at - 1] == '\r' && (at == text.size() || text[at] != '\n')))) {
                    line_begin = at;
                    ++line;
                }
                bool const in_line_end = at > 0 && at < text.size() && text[at] == '\n' && text[at - 1] == '\r';
                if (in_line_end || (at < text.size() && continues_character(text[at]))) continue;
                auto const found = lines.position_of(static_cast<std::uint32_t>(at), encoding);
                ASSERT_EQ(found.line, line) << "seed " << seed << " at " << at;
                ASSERT_EQ(found.character, units(std::string_view(text).substr(line_begin, at - line_begin), encoding))
                    << "seed " << seed << " at " << at;
                ASSERT_EQ(lines.offset_of(found, encoding), at) << "seed " << seed;
            }
        }
    }
}

TEST(LspPositions, AreClampedToTheEndAndToTheBeginningOfACharacter)
{
    text_lines const lines("a\xF0\x9F\x98\x80z\r\nb");
    EXPECT_EQ(lines.offset_of({0, 99}, position_encoding::utf16), 6U);
    EXPECT_EQ(lines.offset_of({7, 0}, position_encoding::utf16), 9U);
    EXPECT_EQ(lines.offset_of({0, 2}, position_encoding::utf16), 1U);
    EXPECT_EQ(lines.offset_of({0, 3}, position_encoding::utf16), 5U);
    EXPECT_EQ(lines.offset_of({0, 3}, position_encoding::utf8), 1U);
}

TEST(LspMessages, DoNotDependOnTheChunksOfTheirBytes)
{
    std::string const all = framed("{\"a\":1}") + framed("") + "Content-Type: x\r\n" + framed("[\"\xC3\xA9\"]")
        + "Content-Length: many\r\n\r\n" + framed("{}") + framed("last");
    auto const received = [&](std::mt19937* random) {
        std::vector<std::string> contents;
        message_reader reader;
        std::string_view rest = all;
        while (!rest.empty()) {
            auto const count =
                random == nullptr ? rest.size() : 1 + (*random)() % std::min<std::size_t>(rest.size(), 9);
            reader.add(rest.substr(0, count));
            rest.remove_prefix(count);
            while (auto next = reader.next()) {
                auto const* const content = std::get_if<std::string>(&*next);
                contents.push_back(content == nullptr ? "?" : *content);
            }
        }
        return contents;
    };
    auto const whole = received(nullptr);
    EXPECT_EQ(whole, (std::vector<std::string>{"{\"a\":1}", "", "[\"\xC3\xA9\"]", "?", "{}", "last"}));
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937 random(seed);
        EXPECT_EQ(received(&random), whole) << "seed " << seed;
    }
}

TEST(LspCursor, FindsTheEnclosingBlocksOfEveryPositionInIncompleteText)
{
    std::string const text = "resource \"a_b\" \"c\" {\n  x = [f(1, \"y${g(2, ";
    language::source_file const file("main.tf", text);
    auto const found = cursor_at(file, static_cast<std::uint32_t>(text.size()));
    EXPECT_EQ(found.where, cursor::place::value);
    ASSERT_EQ(found.blocks().size(), 1U);
    EXPECT_EQ(found.blocks()[0]->labels, (std::vector<std::string>{"a_b", "c"}));
    ASSERT_EQ(found.frames.back().of, frame::kind::call);
    EXPECT_EQ(found.frames.back().name, "g");
    EXPECT_EQ(found.frames.back().argument, 1U);
    for (std::size_t size = 0; size <= text.size(); ++size) {
        language::source_file const prefix("main.tf", text.substr(0, size));
        for (std::uint32_t at = 0; at <= size; ++at) EXPECT_FALSE(cursor_at(prefix, at).frames.empty());
    }
}

TEST(LspCursor, EndsABlockWithoutBraceAtTheNextBlockOfTheFile)
{
    std::string const text = "resource \"a\" \"b\" {\n  x = \"open\n\nvariable \"v\" {\n  \n}\n";
    language::source_file const file("main.tf", text);
    auto const found = cursor_at(file, static_cast<std::uint32_t>(text.find("  \n}") + 2));
    ASSERT_EQ(found.blocks().size(), 1U);
    EXPECT_EQ(found.blocks()[0]->name, "variable");
    EXPECT_EQ(found.where, cursor::place::item);
}

}  // namespace
}  // namespace iacctl::lsp
