// SPDX-License-Identifier: BSL-1.0
#include "providers/plugin/replacement.hpp"

#include "language/values/value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace iacctl::plugin;
using iacctl::language::number;
using iacctl::language::schema;
using iacctl::language::type;
using iacctl::language::value;
using strider::infra::attribute_path;
using testing::ElementsAre;
using testing::IsEmpty;

attribute_path const id{std::string("id")};
attribute_path const name{std::string("name")};
attribute_path const secret{std::string("secret")};

auto object(value of_id, value of_name) -> value
{
    return value::object(
        {{"id", std::move(of_id)}, {"name", std::move(of_name)}, {"secret", value::null(type::string())}});
}

auto described() -> schema
{
    schema made;
    made.attributes = {{.name = "id", .of = type::string(), .computed = true},
        {.name = "name", .of = type::string(), .optional = true},
        {.name = "secret", .of = type::string(), .optional = true, .write_only = true}};
    return made;
}

TEST(RequiredReplacement, OmitsUnchangedValues)
{
    auto const made =
        replacement_of(object(value("1"), value("a")), object(value("1"), value("b")), described(), {id, name});
    EXPECT_THAT(made.paths, ElementsAre(name));
    EXPECT_THAT(made.invalid, IsEmpty());
}

TEST(RequiredReplacement, KeepsValuesThatAreUnknown)
{
    auto const made = replacement_of(
        object(value("1"), value("a")), object(value::unknown(type::string()), value("b")), described(), {id, name});
    EXPECT_THAT(made.paths, ElementsAre(id, name));
}

TEST(RequiredReplacement, TreatsAnAbsentPartAsNull)
{
    auto const list = [](std::vector<value> vs) {
        return value::object({{"l", value::list(type::string(), std::move(vs))}});
    };
    attribute_path const second{std::string("l"), std::int64_t(1)};
    schema described_by;
    described_by.attributes = {{.name = "l", .of = type::list(type::string()), .optional = true}};
    EXPECT_THAT(replacement_of(list({value("a"), value("b")}), list({value("a")}), described_by, {second}).paths,
        ElementsAre(second));
    EXPECT_THAT(
        replacement_of(list({value("a"), value::null(type::string())}), list({value("a")}), described_by, {second})
            .paths,
        IsEmpty());
}

TEST(RequiredReplacement, KeepsWriteOnlyValues)
{
    auto const made =
        replacement_of(object(value("1"), value("a")), object(value("1"), value("a")), described(), {name, secret});
    EXPECT_THAT(made.paths, ElementsAre(secret));
}

TEST(RequiredReplacement, IsEmptyForANewObject)
{
    auto const made = replacement_of(value::null(), object(value("1"), value("a")), described(), {name});
    EXPECT_THAT(made.paths, IsEmpty());
    EXPECT_THAT(made.invalid, IsEmpty());
}

TEST(RequiredReplacement, ReportsPathsThatNoObjectHas)
{
    attribute_path const other{std::string("other")};
    auto const made =
        replacement_of(object(value("1"), value("a")), object(value("1"), value("b")), described(), {other});
    EXPECT_THAT(made.paths, IsEmpty());
    EXPECT_THAT(made.invalid, ElementsAre(other));
}

}  // namespace
