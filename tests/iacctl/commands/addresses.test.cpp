// SPDX-License-Identifier: BSL-1.0
#include "cli/arguments/addresses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace iacctl::commands;

struct mistake {
    std::string address;
    std::string code;
};

class MistakeInAddress : public testing::TestWithParam<mistake> {};

TEST_P(MistakeInAddress, HasItsOwnCode)
{
    auto const read = read_instance(GetParam().address);

    ASSERT_FALSE(read) << GetParam().address;
    EXPECT_EQ(read.error().why().front().code, GetParam().code) << GetParam().address;
}

mistake const mistakes[] = {
    {"", "address_without_name"},
    {"0.a", "address_without_name"},
    {"a/b", "address_unexpected_character"},
    {"a.", "address_dot_without_name"},
    {"a.-", "address_dot_without_name"},
    {"a..b", "address_dot_twice"},
    {"module.m..a.b", "address_dot_twice"},
    {"a.*", "address_with_splat"},
    {"a.b[*]", "address_with_splat"},
    {"a.b[c]", "address_index_not_constant"},
    {"a.b[\"c]", "address_index_not_constant"},
    {"a.b[0", "address_index_not_closed"},
    {"module", "address_without_module_name"},
    {"module[0].a.b", "address_without_module_name"},
    {"module.m[1.5].a.b", "address_index_out_of_range"},
    {"a.b[1.5]", "address_index_out_of_range"},
    {"module.m", "address_of_module"},
    {"var.a", "address_with_reserved_word"},
    {"a", "address_without_type_and_name"},
    {"data.a", "address_without_type_and_name"},
    {"a[0].b", "address_without_type_and_name"},
    {"a.b[0].c", "address_goes_on"},
    {"a.b.c", "address_index_without_brackets"},
    {"action.a.b", "address_of_action"},
    {"module.m.action.a.b[0]", "address_of_action"},
};

INSTANTIATE_TEST_SUITE_P(Addresses, MistakeInAddress, testing::ValuesIn(mistakes));

TEST(Addresses, NameTheColumnOfTheMistake)
{
    auto const mistake = [](std::string const& text) { return mistake_in(read_target(text).error()); };

    EXPECT_THAT(mistake("bad..addr"), testing::HasSubstr("columns 4 and 5"));
    EXPECT_THAT(mistake("module.\u00e4..a.b"), testing::HasSubstr("columns 9 and 10"));
    EXPECT_THAT(mistake("a.b."), testing::HasSubstr("column 4 "));
    EXPECT_THAT(mistake("a.b/c"), testing::HasSubstr("column 4,"));
    EXPECT_THAT(mistake("a.b[c]"), testing::HasSubstr("column 4 "));
    EXPECT_THAT(mistake("a.b[0"), testing::HasSubstr("column 4 "));
}

TEST(Addresses, OfModulesAreTargetsAndNotInstances)
{
    EXPECT_TRUE(read_target("module.m[\"a\"]"));
    EXPECT_FALSE(read_instance("module.m[\"a\"]"));
    EXPECT_TRUE(read_instance("module.m.data.a.b[0]"));
}

}  // namespace
