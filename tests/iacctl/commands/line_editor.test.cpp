// SPDX-License-Identifier: BSL-1.0
#include "cli/commands/line_editor.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace iacctl::commands;

auto typed(std::string const& text) -> edited_line
{
    static std::vector<std::string> const nothing;
    edited_line line(nothing);
    line.insert(text);
    return line;
}

TEST(EditedLine, InsertsAtTheCursor)
{
    auto line = typed("var.nme");
    line.press(edit_key::left);
    line.press(edit_key::left);
    line.insert("a");

    EXPECT_EQ(line.text(), "var.name");
    line.press(edit_key::home);
    line.insert("!");
    line.press(edit_key::end);
    line.insert("?");
    EXPECT_EQ(line.text(), "!var.name?");
}

TEST(EditedLine, MovesAndErasesByWholeCharacters)
{
    auto line = typed("a\u00E9e\u0301z");  // the third character has two code points
    line.press(edit_key::left);
    line.press(edit_key::backspace);
    EXPECT_EQ(line.text(), "a\u00E9z");
    line.press(edit_key::backspace);
    line.press(edit_key::erase);
    EXPECT_EQ(line.text(), "a");
    line.press(edit_key::erase);
    line.press(edit_key::left);
    line.press(edit_key::backspace);
    EXPECT_EQ(line.text(), "a") << "at the ends there is nothing to erase";
}

TEST(EditedLine, ErasesWordsAndTheRestOfTheLine)
{
    auto line = typed("max(var.size, 10)");
    line.press(edit_key::erase_word);
    EXPECT_EQ(line.text(), "max(var.size, ");
    line.press(edit_key::erase_word);
    EXPECT_EQ(line.text(), "max(");
    line.press(edit_key::word_left);
    line.press(edit_key::erase_to_end);
    EXPECT_EQ(line.text(), "");
    line.insert("one two");
    line.press(edit_key::word_left);
    line.press(edit_key::erase_to_begin);
    EXPECT_EQ(line.text(), "two");
    line.press(edit_key::word_right);
    EXPECT_EQ(line.cursor(), 3U);
}

TEST(EditedLine, ShowsEarlierLinesAndReturnsToTheTypedLine)
{
    std::vector<std::string> const history{"first", "second"};
    edited_line line(history);
    line.insert("third");
    line.press(edit_key::previous);
    EXPECT_EQ(line.text(), "second");
    line.press(edit_key::previous);
    line.press(edit_key::previous);
    EXPECT_EQ(line.text(), "first");
    EXPECT_EQ(line.cursor(), 5U);
    for (int i = 0; i < 3; ++i) line.press(edit_key::next);
    EXPECT_EQ(line.text(), "third");
}

TEST(EditedLine, ReplacesAWordBeforeTheCursor)
{
    auto line = typed("upper(va) ");
    line.press(edit_key::left);
    line.press(edit_key::left);
    line.replace_before(2, "var.name");
    EXPECT_EQ(line.text(), "upper(var.name) ");
    EXPECT_EQ(line.cursor(), 14U);
}

TEST(LineWindow, ShowsThePartAroundTheCursorOfALongLine)
{
    EXPECT_EQ(window_of("short", 5, 20).text, "short");
    EXPECT_EQ(window_of("short", 2, 20).cursor, 2U);
    auto const end = window_of("0123456789", 10, 5);
    EXPECT_EQ(end.text, "6789");
    EXPECT_EQ(end.cursor, 4U);
    auto const begin = window_of("0123456789", 0, 5);
    EXPECT_EQ(begin.text, "01234");
    EXPECT_EQ(begin.cursor, 0U);
    // Each of these takes two columns.
    auto const wide = window_of("\u65E5\u672C\u8A9E", 9, 5);
    EXPECT_EQ(wide.text, "\u672C\u8A9E");
    EXPECT_EQ(wide.cursor, 4U);
}

}  // namespace
