// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>

#include <crypt.h>

namespace {

using namespace providers_test;
using infra::lookup_answer;
using infra::operation_kind;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

/// The arguments of one type: those that create an object, that update it in place, that replace it, and that are
/// refused.
struct type_case {
    std::string type;
    entries first;
    entries updated;         // empty: no update in place
    entries replaced;
    std::string because;     // the attribute that requires a replacement
    std::string import_id;   // empty: the type refuses to import
    std::string imported_as;
    entries wrong;
    std::string complaint;
};

auto all_types() -> std::vector<type_case>
{
    auto const keepers = [](std::string_view content) { return pairs({{"k", text(content)}}); };
    value const null_keeper = pairs({{"k", value::null(iacctl::language::type::string())}});
    return {
        {"null_resource", {}, {{"triggers", null_keeper}}, {{"triggers", keepers("1")}}, "triggers", "", "", {}, ""},
        {"random_bytes", {{"length", whole(4)}}, {}, {{"length", whole(5)}}, "length", "/+8B", "",
            {{"length", whole(0)}}, "attribute_too_small"},
        {"random_id", {{"byte_length", whole(4)}}, {{"byte_length", whole(4)}, {"keepers", null_keeper}},
            {{"byte_length", whole(5)}}, "byte_length", "my-,p-9hUg", "p-9hUg", {{"byte_length", whole(0)}},
            "attribute_too_small"},
        {"random_integer", {{"min", whole(1)}, {"max", whole(6)}},
            {{"min", whole(1)}, {"max", whole(6)}, {"keepers", null_keeper}}, {{"min", whole(1)}, {"max", whole(7)}},
            "max", "15390,1,50000", "15390", {{"min", whole(2)}, {"max", whole(1)}}, "random_integer_bounds_swapped"},
        {"random_password", {{"length", whole(8)}}, {{"length", whole(8)}, {"keepers", null_keeper}},
            {{"length", whole(9)}}, "length", "securepassword", "none", {{"length", whole(3)}, {"min_lower", whole(4)}},
            "random_string_length_too_small"},
        {"random_pet", {}, {{"keepers", null_keeper}}, {{"separator", text("_")}}, "separator", "", "",
            {{"length", whole(0)}}, "attribute_too_small"},
        {"random_shuffle", {{"input", texts({"a", "b"})}}, {{"input", texts({"a", "b"})}, {"keepers", null_keeper}},
            {{"input", texts({"a", "c"})}}, "input", "", "", {{"input", texts({})}, {"result_count", whole(-1)}},
            "attribute_too_small"},
        {"random_string", {{"length", whole(8)}}, {{"length", whole(8)}, {"keepers", null_keeper}},
            {{"length", whole(8)}, {"upper", value(false)}}, "upper", "test", "test",
            {{"length", whole(8)}, {"upper", value(false)}, {"lower", value(false)}, {"numeric", value(false)},
                {"special", value(false)}},
            "random_string_no_characters"},
        {"random_uuid", {}, {{"keepers", null_keeper}}, {{"keepers", keepers("1")}}, "keepers",
            "AABBCCDD-eeff-0011-2233-445566778899", "aabbccdd-eeff-0011-2233-445566778899", {}, ""},
        {"random_uuid4", {}, {{"keepers", null_keeper}}, {{"keepers", keepers("1")}}, "keepers",
            "AABBCCDD-eeff-4011-8233-445566778899", "aabbccdd-eeff-4011-8233-445566778899", {}, ""},
        {"random_uuid7", {}, {{"keepers", null_keeper}}, {{"keepers", keepers("1")}}, "keepers",
            "AABBCCDD-eeff-7011-8233-445566778899", "aabbccdd-eeff-7011-8233-445566778899", {}, ""},
        {"time_static", {{"rfc3339", text("2020-02-12T06:36:13Z")}}, {},
            {{"rfc3339", text("2020-02-12T06:36:13Z")}, {"triggers", keepers("1")}}, "triggers", "2020-02-12T06:36:13Z",
            "2020-02-12T06:36:13Z", {{"rfc3339", text("2020-02-30T06:36:13Z")}}, "time_invalid"},
        {"time_offset", {{"base_rfc3339", text("2020-02-12T06:36:13Z")}, {"offset_days", whole(1)}},
            {{"base_rfc3339", text("2020-02-12T06:36:13Z")}, {"offset_days", whole(-1)}},
            {{"offset_days", whole(1)}, {"triggers", keepers("1")}}, "triggers", "2020-02-12T06:36:13Z,0,0,1,0,0,",
            "2020-02-12T06:36:13Z", {}, "time_units_missing"},
        {"time_rotating", {{"rfc3339", text("2120-02-12T06:36:13Z")}, {"rotation_days", whole(30)}},
            {{"rfc3339", text("2120-02-12T06:36:13Z")}, {"rotation_days", whole(31)}},
            {{"rfc3339", text("2121-02-12T06:36:13Z")}, {"rotation_days", whole(30)}}, "rfc3339",
            "2120-02-12T06:36:13Z,0,0,30,0,0", "2120-02-12T06:36:13Z", {}, "time_units_missing"},
        {"time_sleep", {{"create_duration", text("1ms")}}, {{"create_duration", text("2ms")}},
            {{"create_duration", text("1ms")}, {"triggers", keepers("1")}}, "triggers", "30s,", "",
            {{"create_duration", text("1 day")}}, "time_sleep_duration_invalid"},
        {"terraform_data", {{"input", text("1")}}, {{"input", text("2")}}, {{"triggers_replace", text("1")}},
            "triggers_replace", "some-id", "some-id", {}, ""},
    };
}

auto names_of(std::vector<type_case> const& all) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (type_case const& one : all) names.push_back(one.type);
    return names;
}

}  // namespace

TEST(ManagedTypes, AreInTheTableOrHaveTheirOwnTests)
{
    std::vector<std::string> tested = names_of(all_types());
    tested.insert(tested.end(), {"local_file", "local_sensitive_file", "restapi_object"});

    std::vector<std::string> known;
    for (resource_type const* const type : iacctl::providers::resource_types()) known.emplace_back(type->name());

    EXPECT_THAT(tested, testing::UnorderedElementsAreArray(known));
}

TEST(BuiltInProviders, HaveAllTypes)
{
    iacctl::providers::catalog const all(iacctl::providers::built_in_providers());
    for (auto const* const type : iacctl::providers::resource_types())
        EXPECT_NE(all.find_type(type->provider(), infra::address(std::string(type->name()), "a")), nullptr)
            << type->name();
    for (auto const* const source : iacctl::providers::data_sources())
        EXPECT_NE(all.find_type(source->provider(), infra::resource_mode::data, source->name()), nullptr)
            << source->name();
}

TEST(ManagedTypes, CreatePlannedObjects)
{
    for (type_case const& one : all_types()) {
        SCOPED_TRACE(one.type);
        auto const wanted = plan(one.type, std::nullopt, desired(one.type, one.first));
        ASSERT_EQ(wanted.error(), "");

        auto const made = apply(one.type, operation_kind::create, std::nullopt, wanted->after);

        ASSERT_TRUE(made.object && !made.failed()) << first_error(made.problems);
        EXPECT_TRUE(made.object->wholly_known());
        if (made.object->find("id") != nullptr) EXPECT_NE(text_at(*made.object, "id"), "");
        for (auto const& planned : wanted->after.entries())
            if (planned.of.wholly_known()) EXPECT_EQ(at(*made.object, planned.key), planned.of) << planned.key;
        auto const again = plan(one.type, made.object, desired(one.type, one.first));
        EXPECT_EQ(again->after, *made.object);
        auto const there = read(one.type, *made.object);
        ASSERT_TRUE(there->has_value());
        EXPECT_EQ(**there, *made.object);
        EXPECT_FALSE(apply(one.type, operation_kind::destroy, made.object, std::nullopt).object);
    }
}

TEST(ManagedTypes, UpdateInPlaceAndKeepTheirIds)
{
    for (type_case const& one : all_types()) {
        if (one.updated.empty()) continue;
        SCOPED_TRACE(one.type);
        auto const made = create(one.type, one.first);
        ASSERT_EQ(made.error(), "");

        auto const wanted = plan(one.type, *made, desired(one.type, one.updated));
        auto const now = apply(one.type, operation_kind::update, *made, wanted->after);

        EXPECT_EQ(wanted.error(), "");
        EXPECT_THAT(wanted->replace_paths, IsEmpty());
        EXPECT_NE(wanted->after, *made);
        ASSERT_TRUE(now.object && !now.failed());
        EXPECT_TRUE(now.object->wholly_known());
        EXPECT_EQ(text_at(*now.object, "id"), text_at(*made, "id"));
    }
}

TEST(ManagedTypes, ReportTheAttributeThatNeedsANewObject)
{
    for (type_case const& one : all_types()) {
        SCOPED_TRACE(one.type);
        auto const made = create(one.type, one.first);
        ASSERT_EQ(made.error(), "");

        auto const wanted = plan(one.type, *made, desired(one.type, one.replaced));

        EXPECT_THAT(wanted->replace_paths, ElementsAre(iacctl::providers::path_of(one.because)));
    }
}

TEST(ManagedTypes, ImportByIdOrRejectImports)
{
    for (type_case const& one : all_types()) {
        SCOPED_TRACE(one.type);

        auto const found = import_object(one.type, one.import_id.empty() ? "some-id" : one.import_id);

        if (one.import_id.empty()) {
            EXPECT_THAT(found.error(), EndsWith("[import_unsupported]"));
            continue;
        }
        ASSERT_EQ(found.error(), "");
        EXPECT_TRUE(found->wholly_known());
        if (!one.imported_as.empty()) EXPECT_EQ(text_at(*found, "id"), one.imported_as);
    }
}

TEST(ManagedTypes, RejectInvalidIds)
{
    struct wrong_id {
        std::string type;
        std::string id;
        std::string code;
    };
    for (wrong_id const& one : std::vector<wrong_id>{{"random_id", "not base64!", "random_id_import_invalid"},
             {"random_bytes", "no base64!", "random_bytes_import_invalid"},
             {"time_offset", "2020-02-12T06:36:13Z,0,0,x,0,0,0", "time_offset_import_format"},
             {"time_offset", "2020-02-12T06:36:13Z,,,,,,", "time_offset_import_format"},
             {"random_integer", "1,2", "random_integer_import_format"},
             {"random_integer", "1,x,3", "random_integer_import_not_whole"},
             {"random_uuid", "aabbccdd", "random_uuid_import_invalid"},
             {"random_uuid", "aabbccdd-eeff-0011-2233-44556677889z", "random_uuid_import_invalid"},
             {"time_static", "yesterday", "time_static_import_invalid"},
             {"time_rotating", "2020-02-12T06:36:13Z,1", "time_rotating_import_time_invalid"},
             {"time_rotating", "2020-02-12T06:36:13Z,,,,,", "time_rotating_import_format"},
             {"time_rotating", "2020-02-12T06:36:13Z,1,x,,,", "time_rotating_import_amount_invalid"},
             {"time_sleep", ",", "time_sleep_import_format"},
             {"time_sleep", "1x,", "time_sleep_import_duration_invalid"}}) {
        auto const found = import_object(one.type, one.id);

        EXPECT_THAT(found.error(), EndsWith("[" + one.code + "]")) << one.type << " " << one.id;
    }
}

TEST(ManagedTypes, RejectInvalidArguments)
{
    for (type_case const& one : all_types()) {
        if (one.complaint.empty()) continue;
        SCOPED_TRACE(one.type);

        auto const wanted = plan(one.type, std::nullopt, desired(one.type, one.wrong));

        EXPECT_THAT(wanted.error(), EndsWith("[" + one.complaint + "]"));
    }
}

TEST(ManagedTypes, TreatOperationsThatAreNotInStateAsNotPerformed)
{
    for (type_case const& one : all_types()) {
        SCOPED_TRACE(one.type);
        auto const wanted = plan(one.type, std::nullopt, desired(one.type, one.first));

        auto const found = look_up(one.type, operation_kind::create, std::nullopt, wanted->after);

        EXPECT_EQ(found.answer, lookup_answer::not_done);
    }
}

TEST(ManagedTypes, AcceptUnknownArguments)
{
    auto const unknown_number = value::unknown(iacctl::language::type::number());

    EXPECT_EQ(plan("random_string", {}, desired("random_string", {{"length", unknown_number}})).error(), "");
    EXPECT_EQ(
        plan("random_integer", {}, desired("random_integer", {{"min", unknown_number}, {"max", whole(1)}})).error(),
        "");
    EXPECT_EQ(plan("time_sleep", {},
                  desired("time_sleep", {{"create_duration", value::unknown(iacctl::language::type::string())}}))
                  .error(),
        "");
}

TEST(RandomId, ShowsTheSameBytesInEveryForm)
{
    auto const found = import_object("random_id", "p-,_-8B");

    EXPECT_EQ(text_at(*found, "b64_url"), "p-_-8B");
    EXPECT_EQ(text_at(*found, "b64_std"), "p-/+8B");
    EXPECT_EQ(text_at(*found, "hex"), "p-ffef01");
    EXPECT_EQ(text_at(*found, "dec"), "p-16772865");
    EXPECT_EQ(number_at(*found, "byte_length"), 3);
}

TEST(RandomInteger, StaysInItsRangeAndFollowsItsSeed)
{
    std::set<std::int64_t> seen;
    for (int i = 0; i < 100; ++i)
        seen.insert(number_at(*create("random_integer", {{"min", whole(-1)}, {"max", whole(1)}}), "result"));
    entries const seeded{{"min", whole(0)}, {"max", whole(1'000'000)}, {"seed", text("yellow")}};

    EXPECT_THAT(seen, ElementsAre(-1, 0, 1));
    EXPECT_EQ(number_at(*create("random_integer", seeded), "result"), 126399);
    EXPECT_EQ(create("random_integer", {{"min", whole(INT64_MIN)}, {"max", whole(INT64_MAX)}}).error(), "");
}

TEST(RandomShuffle, RepeatsElementsOnlyWhenAllWereTaken)
{
    auto const result =
        at(*create("random_shuffle", {{"input", texts({"a", "b", "c"})}, {"result_count", whole(6)}}), "result");
    std::multiset<std::string> seen;
    for (value const& one : result.elements()) seen.insert(one.as_string());
    entries const seeded{{"input", texts({"a", "b", "c", "d", "e", "f"})}, {"seed", text("s")}};

    EXPECT_THAT(seen, ElementsAre("a", "a", "b", "b", "c", "c"));
    EXPECT_EQ(at(*create("random_shuffle", seeded), "result"), at(*create("random_shuffle", seeded), "result"));
    EXPECT_EQ(at(*create("random_shuffle", {{"input", texts({})}}), "result").size(), 0U);
}

TEST(RandomString, HasTheRequiredMinimumOfEachKind)
{
    auto const made = create("random_string",
        {{"length", whole(12)}, {"min_upper", whole(3)}, {"min_numeric", whole(4)}, {"min_special", whole(5)},
            {"lower", value(false)}, {"override_special", text("é_")}});
    std::string const result = text_at(*made, "result");
    auto const count = [&](auto fits) { return std::ranges::count_if(result, fits); };

    EXPECT_EQ(count([](char c) { return c >= 'A' && c <= 'Z'; }), 3);
    EXPECT_EQ(count([](char c) { return c >= '0' && c <= '9'; }), 4);
    EXPECT_EQ(count([](char c) { return c == '_' || c == '\xC3'; }), 5);
    EXPECT_EQ(text_at(*made, "id"), result);
    EXPECT_EQ(at(*made, "number"), value(true));
}

TEST(RandomString, TreatsNumberAsNumericUnlessTheyDisagree)
{
    auto const old = create("random_string", {{"length", whole(40)}, {"number", value(false)}});
    auto const both =
        create("random_string", {{"length", whole(4)}, {"number", value(false)}, {"numeric", value(true)}});

    EXPECT_EQ(at(*old, "numeric"), value(false));
    EXPECT_EQ(text_at(*old, "result").find_first_of("0123456789"), std::string::npos);
    EXPECT_THAT(both.error(), StartsWith("Number and numeric are both configured with different values"));
}

TEST(RandomString, GetsTheArgumentsThatOlderVersionsDidNotStore)
{
    auto const stored = iacctl::providers::with(*create("random_string", {{"length", whole(4)}}),
        {{"length", value::null(iacctl::language::type::number())},
            {"numeric", value::null(iacctl::language::type::boolean())}, {"number", value(false)},
            {"min_lower", value::null(iacctl::language::type::number())},
            {"upper", value::null(iacctl::language::type::boolean())}});

    auto const now = iacctl::providers::random_string().upgrade(stored);

    EXPECT_EQ(iacctl::providers::random_string().schema_version(), 2U);
    EXPECT_EQ(number_at(*now, "length"), 4);
    EXPECT_EQ(number_at(*now, "min_lower"), 0);
    EXPECT_EQ(at(*now, "numeric"), value(false));
    EXPECT_EQ(at(*now, "upper"), value(true));
    EXPECT_EQ(at(*now, "result"), at(stored, "result"));
}

TEST(RandomPassword, GetsAHashOfItsResultFromOlderVersions)
{
    auto const made = create("random_password", {{"length", whole(16)}});
    auto const hash_of = [&](value const& stored) {
        return text_at(
            *iacctl::providers::random_password().upgrade(iacctl::providers::with(*made, {{"bcrypt_hash", stored}})),
            "bcrypt_hash");
    };
    auto const fits = [&](std::string const& hash) {
        auto const data = std::make_unique<crypt_data>();
        return crypt_r(text_at(*made, "result").c_str(), hash.c_str(), data.get()) == hash;
    };

    EXPECT_EQ(iacctl::providers::random_password().schema_version(), 3U);
    EXPECT_EQ(hash_of(at(*made, "bcrypt_hash")), text_at(*made, "bcrypt_hash"));
    EXPECT_TRUE(fits(hash_of(value::null(iacctl::language::type::string()))));
    EXPECT_TRUE(fits(hash_of(at(*create("random_password", {{"length", whole(16)}}), "bcrypt_hash"))));
}

TEST(RandomUuid, HasTheVersionInTheNameOfItsType)
{
    auto const made = [](std::string const& type) { return text_at(*create(type, {}), "result"); };

    EXPECT_THAT(
        made("random_uuid4"), MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    EXPECT_THAT(
        made("random_uuid7"), MatchesRegex("0[0-9a-f]{7}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    std::string const first = made("random_uuid7");
    EXPECT_LE(first.substr(0, 13), made("random_uuid7").substr(0, 13));
}

TEST(RandomPassword, IsSensitiveAndHasAHash)
{
    auto const made = create("random_password", {{"length", whole(16)}});
    std::string const hash = text_at(*made, "bcrypt_hash");
    auto const data = std::make_unique<crypt_data>();

    EXPECT_TRUE(made->find("result")->is_sensitive());
    EXPECT_TRUE(made->find("bcrypt_hash")->is_sensitive());
    EXPECT_FALSE(made->find("length")->is_sensitive());
    EXPECT_THAT(hash, StartsWith("$2a$10$"));
    EXPECT_EQ(crypt_r(text_at(*made, "result").c_str(), hash.c_str(), data.get()), hash);
}

TEST(RandomPet, HasTheConfiguredNumberOfWords)
{
    auto const words = [](entries given) { return text_at(*create("random_pet", std::move(given)), "id"); };

    EXPECT_THAT(words({{"length", whole(1)}}), MatchesRegex("[a-z]+"));
    EXPECT_THAT(words({}), MatchesRegex("[a-z]+-[a-z]+"));
    EXPECT_THAT(words({{"length", whole(4)}, {"prefix", text("my")}, {"separator", text(".")}}),
        MatchesRegex("my\\.[a-z]+\\.[a-z]+\\.[a-z]+\\.[a-z]+"));
}

TEST(RandomPet, IsReplacedWhenAKeeperChangesButNotForNull)
{
    auto const made = create("random_pet", {{"keepers", pairs({{"a", text("1")}})}});
    auto const because = [&](entries keepers) {
        return plan("random_pet", *made, desired("random_pet", {{"keepers", pairs(std::move(keepers))}}))
            ->replace_paths;
    };
    value const null = value::null(iacctl::language::type::string());

    EXPECT_THAT(because({{"a", text("1")}}), IsEmpty());
    EXPECT_THAT(because({{"a", text("1")}, {"b", null}}), IsEmpty());
    EXPECT_THAT(because({{"a", text("2")}}), ElementsAre(iacctl::providers::path_of("keepers")));
    EXPECT_THAT(because({{"a", null}}), ElementsAre(iacctl::providers::path_of("keepers")));
    EXPECT_THAT(because({}), ElementsAre(iacctl::providers::path_of("keepers")));
    auto const empty = create("random_pet", {{"keepers", pairs({})}});
    EXPECT_THAT(plan("random_pet", *empty, desired("random_pet", {}))->replace_paths, IsEmpty());
}

TEST(TimeStatic, IsKnownWhenPlannedIfItsTimeIsGiven)
{
    auto const given =
        plan("time_static", {}, desired("time_static", {{"rfc3339", text("2020-02-12T06:36:13+01:00")}}));
    auto const open = plan("time_static", {}, desired("time_static", {}));

    EXPECT_EQ(number_at(given->after, "hour"), 6);
    EXPECT_EQ(number_at(given->after, "unix"), 1581485773);
    EXPECT_EQ(text_at(given->after, "id"), "2020-02-12T06:36:13+01:00");
    EXPECT_TRUE(at(open->after, "rfc3339").is_unknown());
}

TEST(TimeRotating, RotatesByTheCalendar)
{
    auto const rotated = [](std::string_view from, std::string_view by, std::int64_t count) {
        auto const made = create("time_rotating", {{"rfc3339", text(from)}, {std::string(by), whole(count)}});
        return text_at(*made, "rotation_rfc3339");
    };

    EXPECT_EQ(rotated("2120-01-31T10:00:00Z", "rotation_months", 1), "2120-03-02T10:00:00Z");
    EXPECT_EQ(rotated("2120-02-29T10:00:00Z", "rotation_years", 1), "2121-03-01T10:00:00Z");
    EXPECT_EQ(rotated("2120-12-31T23:30:00Z", "rotation_minutes", 45), "2121-01-01T00:15:00Z");
    EXPECT_EQ(rotated("2120-12-31T23:30:00-02:00", "rotation_hours", 1), "2121-01-01T00:30:00-02:00");
    EXPECT_EQ(rotated("2120-12-01T00:00:00Z", "rotation_months", 13), "2122-01-01T00:00:00Z");
}

TEST(TimeRotating, NoLongerExistsAfterItsRotation)
{
    auto const past = create("time_rotating", {{"rfc3339", text("2020-01-01T00:00:00Z")}, {"rotation_days", whole(1)}});
    auto const future = create("time_rotating", {{"rotation_days", whole(1)}});

    EXPECT_FALSE(read("time_rotating", *past)->has_value());
    EXPECT_TRUE(read("time_rotating", *future)->has_value());
}

TEST(TimeRotating, ShowsItsNewTimesInAPlan)
{
    entries given{{"rfc3339", text("2120-01-01T00:00:00Z")}, {"rotation_days", whole(1)}};
    auto const made = create("time_rotating", given);
    given.back().of = whole(2);

    auto const wanted = plan("time_rotating", *made, desired("time_rotating", given));

    EXPECT_EQ(text_at(wanted->after, "rotation_rfc3339"), "2120-01-03T00:00:00Z");
    EXPECT_EQ(number_at(wanted->after, "day"), 3);
}

TEST(TimeOffset, AddsOneOfTheGivenUnitsToItsBase)
{
    auto const moved = [](entries by) {
        by.push_back({"base_rfc3339", text("2120-01-31T10:00:00Z")});
        return text_at(*create("time_offset", std::move(by)), "rfc3339");
    };

    EXPECT_EQ(moved({{"offset_days", whole(7)}}), "2120-02-07T10:00:00Z");
    EXPECT_EQ(moved({{"offset_months", whole(1)}}), "2120-03-02T10:00:00Z");
    EXPECT_EQ(moved({{"offset_seconds", whole(-1)}}), "2120-01-31T09:59:59Z");
    EXPECT_EQ(moved({{"offset_years", whole(-1)}, {"offset_hours", whole(3)}}), "2119-01-31T10:00:00Z");
    EXPECT_EQ(moved({{"offset_hours", whole(0)}}), "2120-01-31T10:00:00Z");
}

TEST(TimeOffset, KeepsItsBaseWhenTheOffsetChangesAndShowsTheNewTime)
{
    auto const made = create("time_offset", {{"offset_days", whole(1)}});
    std::string const base = text_at(*made, "base_rfc3339");

    auto const wanted = plan("time_offset", *made, desired("time_offset", {{"offset_days", whole(0)}}));
    auto const later = plan("time_offset", *made,
        desired("time_offset", {{"offset_days", value::unknown(iacctl::language::type::number())}}));

    EXPECT_EQ(text_at(wanted->after, "base_rfc3339"), base);
    EXPECT_EQ(text_at(wanted->after, "rfc3339"), base);
    EXPECT_EQ(text_at(wanted->after, "id"), base);
    EXPECT_THAT(wanted->replace_paths, IsEmpty());
    EXPECT_TRUE(at(later->after, "rfc3339").is_unknown());
    EXPECT_EQ(text_at(later->after, "base_rfc3339"), base);
}

TEST(RandomBytes, AreSensitiveAndEqualInBothForms)
{
    auto const made = create("random_bytes", {{"length", whole(16)}});
    auto const found = import_object("random_bytes", "/+8B");

    EXPECT_EQ(text_at(*made, "hex").size(), 32U);
    EXPECT_EQ(text_at(*made, "base64").size(), 24U);
    EXPECT_TRUE(made->find("hex")->is_sensitive());
    EXPECT_TRUE(made->find("base64")->is_sensitive());
    EXPECT_EQ(text_at(*found, "hex"), "ffef01");
    EXPECT_EQ(number_at(*found, "length"), 3);
}

TEST(ManagedTypes, ReturnOnlyValuesThatStateCanStore)
{
    auto const found = import_object("random_password", "a\xff");

    EXPECT_THAT(found.error(), EndsWith("[provider_result_not_storable]"));
}

TEST(LocalFiles, RejectNulInTheirName)
{
    auto const made = create("local_file", {{"filename", text(std::string("a\0b", 3))}, {"content", text("x")}});

    EXPECT_THAT(made.error(), EndsWith("[file_name_has_nul]"));
    EXPECT_THAT(read_data("local_file", {{"filename", text(std::string("/etc/passwd\0x", 13))}}).error(),
        HasSubstr("Invalid argument"));
    EXPECT_THAT(read_data("external", {{"program", texts({"/bin/echo", std::string("{}\0x", 4)})}}).error(),
        HasSubstr("Invalid argument"));
}

TEST(TimeSleep, WaitsWhenItIsCreatedAndDestroyed)
{
    auto const began = std::chrono::steady_clock::now();
    auto const made = create("time_sleep", {{"create_duration", text("30ms")}, {"destroy_duration", text("0.03s")}});
    auto const between = std::chrono::steady_clock::now();
    auto const gone = apply("time_sleep", operation_kind::destroy, *made, std::nullopt);
    auto const end = std::chrono::steady_clock::now();

    EXPECT_GE(between - began, std::chrono::milliseconds(30));
    EXPECT_GE(end - between, std::chrono::milliseconds(30));
    EXPECT_FALSE(gone.object || gone.failed());
}

TEST(TimeSleep, EndsEarlyAndFailsWhenItIsCancelled)
{
    auto const wanted = plan("time_sleep", {}, desired("time_sleep", {{"create_duration", text("1h")}}));

    auto const made = apply("time_sleep", operation_kind::create, std::nullopt, wanted->after, 20);

    EXPECT_FALSE(made.object || made.interrupted);
    EXPECT_THAT(
        first_error(made.problems), AllOf(StartsWith("Create time sleep error"), EndsWith("[time_sleep_cancelled]")));
}

TEST(LocalSensitiveFile, IsPrivateToItsOwnerAndHidesItsContent)
{
    scratch_directory const scratch;
    std::string const path = scratch.path("deep/secret");

    auto const made = create("local_sensitive_file", {{"filename", text(path)}, {"content", text("s3cret")}});

    ASSERT_EQ(made.error(), "");
    struct stat found{};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0700U);
    EXPECT_TRUE(made->find("content")->is_sensitive());
    EXPECT_EQ(text_at(*made, "id"), text_at(*made, "content_sha1"));
    EXPECT_FALSE(text_at(*made, "content_base64sha256").empty());
}

TEST(LocalFiles, AreReplacedRemovedAndFoundAgain)
{
    scratch_directory const scratch;
    for (std::string const type : {"local_file", "local_sensitive_file"}) {
        SCOPED_TRACE(type);
        std::string const path = scratch.path(type);
        auto const wanted = plan(type, {}, desired(type, {{"filename", text(path)}, {"content_base64", text("aGk=")}}));
        EXPECT_EQ(look_up(type, operation_kind::create, {}, wanted->after).answer, lookup_answer::not_done);
        auto const made = apply(type, operation_kind::create, {}, wanted->after);
        ASSERT_TRUE(made.object && !made.failed());

        auto const changed =
            plan(type, made.object, desired(type, {{"filename", text(path)}, {"content", text("ho")}}));
        EXPECT_THAT(changed->replace_paths,
            ElementsAre(iacctl::providers::path_of("content"), iacctl::providers::path_of("content_base64")));
        EXPECT_EQ(look_up(type, operation_kind::create, {}, wanted->after).answer, lookup_answer::done);
        EXPECT_EQ(look_up(type, operation_kind::destroy, made.object, {}).answer, lookup_answer::not_done);
        EXPECT_TRUE(read(type, *made.object)->has_value());
        std::ofstream(path) << "other";
        EXPECT_FALSE(read(type, *made.object)->has_value());
        EXPECT_FALSE(apply(type, operation_kind::destroy, made.object, {}).object);
        EXPECT_EQ(look_up(type, operation_kind::destroy, made.object, {}).answer, lookup_answer::done);
        EXPECT_THAT(import_object(type, path).error(), EndsWith("[import_unsupported]"));
    }
}

TEST(LocalFiles, AreMissingOnlyIfNoFileCanExist)
{
    scratch_directory const scratch;
    std::string const path = scratch.path("d/f");
    auto const made = create("local_file", {{"filename", text(path)}, {"content", text("a")}});
    ASSERT_EQ(made.error(), "");

    std::filesystem::remove(path);
    std::filesystem::create_symlink("f", path);
    EXPECT_THAT(read("local_file", *made).error(),
        AllOf(HasSubstr(path + "\" cannot be read: Too many levels of symbolic links"), HasSubstr("state rm")));
    EXPECT_EQ(look_up("local_file", operation_kind::create, {}, *made).answer, lookup_answer::unknown);
    EXPECT_EQ(look_up("local_file", operation_kind::destroy, *made, {}).answer, lookup_answer::not_done);

    std::filesystem::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    EXPECT_THAT(read("local_file", *made).error(), HasSubstr("it is a pipe"));
    EXPECT_THAT(create("local_file", {{"filename", text(path)}, {"content", text("a")}}).error(),
        EndsWith("[local_file_not_regular]"));

    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    EXPECT_THAT(read("local_file", *made).error(), HasSubstr("Is a directory"));
    EXPECT_TRUE(apply("local_file", operation_kind::destroy, *made, {}).failed());
    EXPECT_TRUE(std::filesystem::is_directory(path));

    std::filesystem::remove_all(scratch.path("d"));
    EXPECT_FALSE(read("local_file", *made)->has_value());
    std::ofstream(scratch.path("d")) << "a file where a directory was";
    EXPECT_FALSE(read("local_file", *made)->has_value());
    EXPECT_FALSE(apply("local_file", operation_kind::destroy, *made, {}).failed());
}

TEST(LocalFiles, NameTheSourceThatCannotBeRead)
{
    scratch_directory const scratch;

    auto const made =
        create("local_file", {{"filename", text(scratch.path("f"))}, {"source", text(scratch.path("none"))}});

    EXPECT_THAT(made.error(), HasSubstr(scratch.path("none") + ": No such file or directory"));
}

TEST(LocalFiles, RequireOneContentAndAPath)
{
    scratch_directory const scratch;
    value const name = text(scratch.path("f"));

    auto const none = create("local_sensitive_file", {{"filename", name}});
    auto const two = create("local_file", {{"filename", name}, {"content", text("a")}, {"source", text("b")}});
    auto const directory = create("local_file", {{"filename", text(scratch.path(""))}, {"content", text("a")}});
    auto const missing = create("local_file", {{"filename", name}, {"source", text(scratch.path("none"))}});

    EXPECT_THAT(none.error(), EndsWith("[local_file_content_missing]"));
    EXPECT_THAT(two.error(), EndsWith("[local_file_content_ambiguous]"));
    EXPECT_THAT(directory.error(), AllOf(StartsWith("Create local file error"), EndsWith("[local_file_write_failed]")));
    EXPECT_THAT(missing.error(), EndsWith("[local_file_content_unreadable]"));
}
