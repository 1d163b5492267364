// SPDX-License-Identifier: BSL-1.0
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace strider;

auto half(int number) -> result<int>
{
    if (number % 2 != 0) return graph_error(graph_errc::invalid_value, "odd");
    return number / 2;
}

TEST(Result, HoldsAValueOrAnError)
{
    auto const good = half(8);
    auto const bad = half(7);

    ASSERT_TRUE(good.has_value());
    EXPECT_EQ(*good, 4);
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().code(), graph_errc::invalid_value);
    EXPECT_EQ(bad.error().message(), "odd");
}

TEST(Result, ThrowsItsErrorOnAccessToTheValue)
{
    EXPECT_THROW((void)half(7).value(), graph_exception);
    EXPECT_EQ(half(2).value(), 1);
}

TEST(Result, ReturnsReferencesToItsValue)
{
    result<std::string> good = std::string("value");

    EXPECT_EQ(&good.value(), &*good);
    EXPECT_EQ(good->size(), 5U);
    std::string const taken = *std::move(good);
    EXPECT_EQ(taken, "value");
}

auto three() -> result<std::vector<int>>
{
    return std::vector<int>{1, 2, 3};
}

TEST(Result, ReturnsItsValueByValueIfItIsATemporary)
{
    int sum = 0;
    for (int const number : three().value()) sum += number;
    for (int const number : *three()) sum += number;

    EXPECT_EQ(sum, 12);
}

TEST(Result, CarriesAnotherErrorType)
{
    result<int, std::string> const bad = std::string("odd");
    static_assert(std::is_same_v<result<int>, boost::system::result<int, graph_error>>);

    EXPECT_EQ(bad.error(), "odd");
}

TEST(Result, ThrowsTheErrorThatItContains)
{
    try {
        (void)half(7).value();
        FAIL();
    } catch (graph_exception const& thrown) {
        EXPECT_EQ(thrown.error().code(), graph_errc::invalid_value);
        EXPECT_STREQ(thrown.what(), "odd");
    }
}

TEST(GraphErrc, IsAnErrorCodeOfItsCategory)
{
    boost::system::error_code const code = graph_errc::cycle;

    EXPECT_EQ(code, graph_errc::cycle);
    EXPECT_NE(code, graph_errc::unknown_vertex);
    EXPECT_EQ(&code.category(), &graph_category());
    EXPECT_STREQ(code.category().name(), "strider.graph");
    EXPECT_EQ(code.message(), "the graph has a cycle");
    EXPECT_EQ(make_error_code(graph_error(graph_errc::duplicate_vertex, "twice")), graph_errc::duplicate_vertex);
}

TEST(GraphErrc, HasAMessageForEachValue)
{
    auto const message = [](graph_errc code) { return make_error_code(code).message(); };

    EXPECT_EQ(message(graph_errc::unknown_vertex), "the graph does not have the vertex");
    EXPECT_EQ(message(graph_errc::duplicate_vertex), "two vertices have the same key");
    EXPECT_EQ(message(graph_errc::invalid_value), "a value is not supported");
    EXPECT_EQ(graph_category().message(99), "unknown error");
}

TEST(GraphErrc, IsThrownByAResultThatContainsIt)
{
    result<int, boost::system::error_code> const bad = make_error_code(graph_errc::unknown_vertex);

    try {
        (void)bad.value();
        FAIL();
    } catch (boost::system::system_error const& thrown) {
        EXPECT_EQ(thrown.code(), graph_errc::unknown_vertex);
    }
}

TEST(Result, ThrowsASystemErrorWithTheMessageOfTheError)
{
    try {
        (void)half(7).value();
        FAIL();
    } catch (boost::system::system_error const& thrown) {
        EXPECT_EQ(thrown.code(), graph_errc::invalid_value);
        EXPECT_STREQ(thrown.what(), "odd");
    }
}

TEST(Result, OfNoValueIsSuccessOrAnError)
{
    result<void> const good;
    result<void> const bad = graph_error(graph_errc::unknown_vertex, "missing");

    EXPECT_TRUE(good);
    EXPECT_NO_THROW(good.value());
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.error().message(), "missing");
    EXPECT_THROW(bad.value(), graph_exception);
}

TEST(GraphError, AcceptsNoOtherTypes)
{
    static_assert(!std::is_convertible_v<std::string, graph_error>);
    static_assert(!std::is_convertible_v<int, graph_error>);
    static_assert(std::is_convertible_v<graph_error, result<std::vector<int>>>);
    SUCCEED();
}

TEST(GraphError, IsCopiedWithoutExceptions)
{
    static_assert(std::is_nothrow_copy_constructible_v<graph_error> && std::is_nothrow_copy_assignable_v<graph_error>);
    graph_error const error(graph_errc::cycle, "a cycle", {{{"a"}, {}}});
    graph_error const copy = error;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the subject

    EXPECT_EQ(&copy.cycles(), &error.cycles());
    EXPECT_EQ(graph_error(copy).message(), "a cycle");
    EXPECT_EQ(graph_error().message(), "");
}

TEST(VertexId, IsFalseOnlyWhenItNamesNoVertex)
{
    EXPECT_FALSE(vertex_id());
    EXPECT_TRUE(vertex_id(0));
    EXPECT_LT(vertex_id(3), vertex_id(4));
}

TEST(EdgeOrigin, KeepsItsRuleAtAnotherPlace)
{
    constexpr edge_origin origin = edge_rules::reference;
    static_assert(origin.at(9).made_by() == edge_rules::reference && origin.at(9) != origin);

    EXPECT_EQ(origin.at(9).made_by(), edge_rules::reference);
    EXPECT_EQ(origin.at(9).place(), 9U);
    EXPECT_NE(origin.at(9), origin);
}

inline constexpr edge_rule lower_tier_first{"lower tier first"};
inline constexpr edge_rule same_name{"lower tier first"};

TEST(EdgeRule, IsDefinedByItsNameInOneLine)
{
    edge_origin const origin(lower_tier_first, 7);

    EXPECT_EQ(to_string(origin.made_by()), "lower tier first");
    EXPECT_EQ(origin.place(), 7U);
    EXPECT_EQ(origin.made_by(), same_name);
    EXPECT_NE(origin.made_by(), edge_rules::reference);
    EXPECT_EQ(edge_origin().made_by(), edge_rules::unspecified);
}

TEST(Edge, IsTheSameWhateverItsOrigin)
{
    edge const reference{vertex_id(1), vertex_id(0), edge_rules::reference};
    edge const join{vertex_id(1), vertex_id(0), edge_rules::join};
    edge const turned{vertex_id(0), vertex_id(1), edge_rules::reference};

    EXPECT_EQ(reference, join);
    EXPECT_FALSE(reference == turned);
    EXPECT_FALSE(reference == (edge{vertex_id(1), vertex_id(2), edge_rules::reference}));
    EXPECT_FALSE(reference == (edge{vertex_id(2), vertex_id(0), edge_rules::reference}));
}

}  // namespace
