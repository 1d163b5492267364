// SPDX-License-Identifier: BSL-1.0
#include "base/xml_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace iacctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(XmlDocument, HasTheTextsOfElementsWithAName)
{
    auto const list =
        xml_document::parse("<?xml version=\"1.0\"?><List xmlns=\"urn:x\"><Name>a</Name><NameSpace>b</NameSpace><Name "
                            "Encoded=\"true\">c</Name>"
                            "<!-- <Name>no</Name> --><Other><![CDATA[<d>]]></Other><Marker/></List>");

    ASSERT_TRUE(list);
    EXPECT_EQ(list->root(), "List");
    EXPECT_THAT(list->texts("Name"), ElementsAre("a", "c"));
    EXPECT_EQ(list->text("Other"), "<d>");
    EXPECT_EQ(list->text("Marker"), "");
    EXPECT_THAT(list->texts("Code"), IsEmpty());
    EXPECT_EQ(list->text("Code"), "");
}

TEST(XmlDocument, HasItsReferencesReplacedAndItsEncodingConverted)
{
    EXPECT_EQ(xml_text("<a>x &amp; y &lt;&gt;&quot;&apos;</a>", "a"), "x & y <>\"'");
    EXPECT_EQ(xml_text("<a>&#65;&#x42;&#xE4;</a>", "a"), "AB\xC3\xA4");
    EXPECT_EQ(xml_text("\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?><a>b</a>", "a"), "b");
    EXPECT_EQ(xml_text("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xE4</a>", "a"), "\xC3\xA4");
}

TEST(XmlDocument, IsRefusedIfItIsNotWellFormed)
{
    for (char const* const text : {"", "<", "<a", "<a>b", "<a><b>c</a>", "<a>&none;</a>", "<a>\xE4</a>", "{}",
             "<html><br>Bad Gateway</html>", "<a/><b/>"}) {
        EXPECT_FALSE(xml_document::parse(text)) << text;
        EXPECT_EQ(xml_text(text, "a"), "") << text;
    }
}

TEST(XmlDocument, IsRefusedIfItsEntitiesGrowWithoutBounds)
{
    std::string text = "<!DOCTYPE a [<!ENTITY e0 \"0123456789\">";
    for (int i = 1; i < 12; ++i) {
        text += "<!ENTITY e" + std::to_string(i) + " \"";
        for (int n = 0; n < 10; ++n) text += "&e" + std::to_string(i - 1) + ";";
        text += "\">";
    }

    EXPECT_FALSE(xml_document::parse(text + "]><a>&e11;</a>"));
}

}  // namespace
}  // namespace iacctl
