// SPDX-License-Identifier: BSL-1.0
#include "base/shown_text.hpp"
#include "base/url_secrets.hpp"

#include <gtest/gtest.h>

#include <string>

namespace iacctl {
namespace {

TEST(ShownText, EscapesControlCharactersButNotLineBreaksAndTabs)
{
    EXPECT_EQ(shown_text("a\nb\tc é 漢 🙂"), "a\nb\tc é 漢 🙂");
    EXPECT_EQ(shown_text("\x1b[2J\x1b]0;title\a"), "\\x1b[2J\\x1b]0;title\\x07");
    EXPECT_EQ(shown_text("a\rb\r\nc\x7f"), "a\\rb\r\nc\\x7f");
    EXPECT_EQ(shown_text("\u009b31m \u202ereversed \u2066x"), "\\u009b31m \\u202ereversed \\u2066x");
    EXPECT_EQ(shown_text("\xff\x9b"), "\\xff\\x9b");
    EXPECT_EQ(shown_text(std::string("\0", 1)), "\\x00");
}

TEST(ShownText, OfALineKeepsACarriageReturnAtItsEnd)
{
    EXPECT_EQ(shown_heredoc_line("a\rb\r"), "a\\rb\r");
    EXPECT_EQ(shown_heredoc_line(""), "");
}

TEST(ShownText, OfOutputKeepsOnlyColours)
{
    EXPECT_EQ(shown_output_line("\x1b[31mred\x1b[0m \x1b[2Jx", true), "\x1b[31mred\x1b[0m \\x1b[2Jx\x1b[0m");
    EXPECT_EQ(shown_output_line("\x1b[31mred\x1b[0m \x1b[1;4:3mx", false), "red x");
    EXPECT_EQ(shown_output_line("\x1b[31", true), "\\x1b[31");
    EXPECT_EQ(shown_output_line("\x1b\x1b[1mx", false), "\\x1bx");
    EXPECT_EQ(shown_output_line("plain", true), "plain");
}

TEST(UrlSecrets, AreReplaced)
{
    EXPECT_EQ(without_url_secrets("git::https://user:s3cret@example.com/a.git?ref=v1"),
        "git::https://***@example.com/a.git?ref=v1");
    EXPECT_EQ(without_url_secrets("from \"http://t0ken@example.com\", https://a:b@c/d and https://e"),
        "from \"http://***@example.com\", https://***@c/d and https://e");
    EXPECT_EQ(without_url_secrets("https://u:p@ss#w?rd@example.com/x"), "https://***@example.com/x");
    EXPECT_EQ(without_url_secrets("HTTPS://u:p@example.com"), "HTTPS://***@example.com");
    EXPECT_EQ(without_url_secrets("git::ssh://git@example.com/a ssh://git:s3cret@example.com"),
        "git::ssh://git@example.com/a ssh://git:***@example.com");
    EXPECT_EQ(without_url_secrets("postgres://ann:s3cret@db/x"), "postgres://ann:***@db/x");
    EXPECT_EQ(without_url_secrets("https://h/a?sshkey=s3cret&ref=v1&private_token=x#y"),
        "https://h/a?sshkey=***&ref=v1&private_token=***#y");
    EXPECT_EQ(without_url_secrets("s3::https://h/a?aws_access_key_id=i&aws_access_key_secret=k"),
        "s3::https://h/a?aws_access_key_id=i&aws_access_key_secret=***");
    EXPECT_EQ(without_url_secrets("https://h/?X-Amz-Signature=0a&X-Amz-Expires=1&sig=z"),
        "https://h/?X-Amz-Signature=***&X-Amz-Expires=1&sig=***");
}

TEST(UrlSecrets, AreOnlyThoseOfUrls)
{
    for (std::string const text : {"mail a@b.c", "https://example.com/@scope/a@v1", "a://", "://@", "https://@h",
             "x?token=1", "https://example.com/a?name=token", "a: //b:c@d"}) {
        EXPECT_EQ(without_url_secrets(text), text);
        EXPECT_FALSE(has_url_secrets(text)) << text;
    }
    EXPECT_TRUE(has_url_secrets("see https://a:b@c"));
}

TEST(UrlSecrets, KeepTheirLengthWhereAPositionInTheTextMatters)
{
    EXPECT_EQ(with_masked_url_secrets("source = \"https://u:p@h/x\" # y"), "source = \"https://***@h/x\" # y");
    EXPECT_EQ(with_masked_url_secrets("https://user:password@h"), "https://*************@h");
}

}  // namespace
}  // namespace iacctl
