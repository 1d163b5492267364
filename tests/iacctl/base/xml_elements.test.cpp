// SPDX-License-Identifier: BSL-1.0
#include "base/xml_elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace iacctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(XmlElements, AreFoundByTheirWholeNames)
{
    std::string const text =
        "<?xml version=\"1.0\"?><List><Name>a</Name><NameSpace>b</NameSpace><Name Encoded=\"true\">c</Name>"
        "<Name/><Name /><Other>d</Other></List>";
    EXPECT_THAT(xml_elements(text, "Name"), ElementsAre("a", "c"));
    EXPECT_EQ(xml_element(text, "Other"), "d");
    EXPECT_EQ(xml_element(text, "Code"), "");
}

TEST(XmlElements, HaveTheirReferencesReplaced)
{
    EXPECT_EQ(xml_element("<a>x &amp; y &lt;&gt;&quot;&apos;</a>", "a"), "x & y <>\"'");
    EXPECT_EQ(xml_element("<a>&#65;&#x42;&#xE4;</a>", "a"), "AB\xC3\xA4");
    EXPECT_EQ(xml_element("<a>& &; &none; &#x110000; &#; &am</a>", "a"), "& &; &none; &#x110000; &#; &am");
}

TEST(XmlElements, AreReadFromATextThatEndsEarly)
{
    EXPECT_THAT(xml_elements("<a>b", "a"), ElementsAre("b"));
    EXPECT_THAT(xml_elements("<a", "a"), IsEmpty());
    EXPECT_THAT(xml_elements("<", "a"), IsEmpty());
    EXPECT_THAT(xml_elements("", "a"), IsEmpty());
}

}  // namespace
}  // namespace iacctl
