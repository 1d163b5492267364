// SPDX-License-Identifier: BSL-1.0
#include "views/drift.hpp"

#include "base/json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace iacctl::views::test {
namespace {

TEST(DriftReport, HasTheFirstObjectsAndTheNumberOfTheOthers)
{
    std::vector<drifted_object> all(1000, {"aws_instance.web", false, {"ami"}});
    all[1].address = std::string(100'000, 'x');

    auto const few = parse_json(drift_report({all.front()}, "default", "t", 50'000));
    auto const many = parse_json(drift_report(all, "default", "t", 50'000));

    EXPECT_EQ(few->find("left_out"), nullptr);
    EXPECT_EQ(few->at("drifted").at(std::size_t{0}).at("attributes").as_texts(), std::vector<std::string>{"ami"});
    auto const count = many->at("drifted").as_elements().size();
    EXPECT_GT(count, 300U);
    EXPECT_EQ(count + many->at("left_out").as_natural(), 1000U);
    EXPECT_LT(drift_report(all, "default", "t", 50'000).size(), 51'000U);
}

}  // namespace
}  // namespace iacctl::views::test
