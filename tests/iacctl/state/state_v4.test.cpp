// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "base/json.hpp"
#include "base/unicode.hpp"
#include "state/document/state_v4.hpp"

#include <algorithm>
#include <optional>

namespace iacctl::state::test {

namespace {

constexpr char const* small_file = R"({
  "version": 4,
  "terraform_version": "1.11.4",
  "serial": 18446744073709551615,
  "lineage": "0ddc7cbf-3e0b-43a5-a1b5-1b4d5d0a3f57",
  "outputs": {
    "o": {
      "value": {
        "a": [
          1,
          "\u003cb\u003e"
        ],
        "e": [],
        "f": {}
      },
      "type": [
        "object",
        {
          "a": [
            "tuple",
            [
              "number",
              "string"
            ]
          ],
          "e": [
            "tuple",
            []
          ],
          "f": [
            "object",
            {}
          ]
        }
      ],
      "sensitive": true
    }
  },
  "resources": [
    {
      "mode": "data",
      "type": "t",
      "name": "z",
      "provider": "provider[\"terraform.io/builtin/terraform\"]",
      "instances": [
        {
          "schema_version": 0,
          "attributes": {
            "big": 123456789012345678901234567890.5,
            "id": null
          },
          "sensitive_attributes": [],
          "identity_schema_version": 1,
          "identity": {
            "name": "z"
          },
          "private": "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ=="
        }
      ]
    },
    {
      "mode": "managed",
      "type": "t",
      "name": "a",
      "provider": "provider[\"terraform.io/builtin/terraform\"]",
      "instances": [
        {
          "index_key": 0,
          "schema_version": 1,
          "attributes": {
            "id": "0"
          },
          "sensitive_attributes": [
            [
              {
                "type": "get_attr",
                "value": "id"
              }
            ]
          ],
          "dependencies": [
            "data.t.z",
            "module.m.t.x"
          ],
          "create_before_destroy": true
        },
        {
          "index_key": 10,
          "schema_version": 0,
          "attributes": {
            "id": "10"
          },
          "sensitive_attributes": [],
          "private": "bnVsbA==",
          "dependencies": [
            "data.t.z"
          ]
        },
        {
          "index_key": 10,
          "status": "tainted",
          "deposed": "0a1b2c3d",
          "schema_version": 0,
          "attributes": {
            "id": "old"
          },
          "sensitive_attributes": []
        },
        {
          "index_key": "k",
          "schema_version": 0,
          "attributes": {
            "id": "k"
          },
          "sensitive_attributes": []
        }
      ]
    },
    {
      "module": "module.m[\"x\"]",
      "mode": "managed",
      "type": "t",
      "name": "x",
      "provider": "module.m.provider[\"registry.example/a/b\"].c",
      "instances": [
        {
          "schema_version": 0,
          "attributes": {},
          "sensitive_attributes": []
        }
      ]
    }
  ],
  "check_results": null
}
)";

auto replaced(std::string text, std::string const& subject, std::string const& by) -> std::string
{
    auto const at = text.find(subject);
    EXPECT_NE(at, std::string::npos) << subject;
    return at == std::string::npos ? text : text.replace(at, subject.size(), by);
}

}  // namespace

TEST(StateV4, PreservesTheBytesThatItRead)
{
    auto const state = from_v4(small_file);

    ASSERT_TRUE(state) << error_text(state);
    EXPECT_EQ(to_v4(*state, "1.11.4"), small_file);
}

TEST(StateV4, ReadsTheContentOfAFile)
{
    auto const state = from_v4(small_file);

    ASSERT_TRUE(state) << error_text(state);
    EXPECT_EQ(state->serial, ~std::uint64_t{0});
    auto const* record = state->find(infra::address("t", "a", infra::instance_key(std::int64_t{10})));
    ASSERT_NE(record, nullptr);
    ASSERT_TRUE(record->current);
    EXPECT_EQ(record->current->attributes.text(), "{\"id\":\"10\"}");
    ASSERT_TRUE(record->deposed.contains("0a1b2c3d"));
    EXPECT_TRUE(record->deposed.at("0a1b2c3d").tainted);
}

TEST(StateV4, WritesAnEmptyStateLikeTerraform)
{
    infra::snapshot s;
    s.lineage = "x";

    EXPECT_EQ(to_v4(s, "1.11.4"),
        "{\n  \"version\": 4,\n  \"terraform_version\": \"1.11.4\",\n  \"serial\": 0,\n  \"lineage\": \"x\",\n"
        "  \"outputs\": {},\n  \"resources\": [],\n  \"check_results\": null\n}\n");
}

TEST(StateV4, KeepsPendingOperations)
{
    infra::snapshot s;
    s.lineage = "x";
    auto const p = some_operation("op", infra::operation_kind::update, infra::address("t", "a"));
    s.pending.emplace("op", p);

    auto const again = from_v4(to_v4(s, "1.11.4"));

    ASSERT_TRUE(again) << error_text(again);
    EXPECT_EQ(*again, s);
}

TEST(StateV4, PreservesRandomStates)
{
    for (std::uint64_t seed = 61; seed <= 70; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random_history history(seed);
        for (int i = 0; i < 60; ++i) (void)history.next();
        infra::snapshot s = history.model();
        s.lineage = "x";
        // The format requires canonical JSON, and provider addresses that can be parsed.
        for (auto& [target, record] : s.resources) {
            auto const tidy = [](infra::object& o) {
                o.attributes = infra::document("{\"id\":\"" + std::to_string(o.attributes.text().size()) + "\"}");
                o.sensitive = {};
                o.provider = "provider[\"a/b/c" + std::to_string(o.provider.size()) + "\"]";
            };
            if (record.current) tidy(*record.current);
            for (auto& [key, o] : record.deposed) tidy(o);
        }
        for (auto& [name, value] : s.outputs) value.value = infra::document("[1,null]");
        // JSON cannot represent bytes that are not valid UTF-8.
        std::erase_if(s.resources, [](auto const& r) { return !is_utf8(infra::to_string(r.first)); });
        std::erase_if(s.pending, [](auto const& p) { return !is_utf8(infra::to_string(p.second.target)); });
        ASSERT_FALSE(s.resources.empty());

        auto const again = from_v4(to_v4(s, "1.11.4"));

        ASSERT_TRUE(again) << error_text(again);
        EXPECT_EQ(*again, s);
    }
}

TEST(StateV4, RejectsViolationsOfTheFormat)
{
    std::vector<std::pair<std::string, std::string>> const faults{
        {"\"version\": 4", "\"version\": 5"},
        {"\"version\": 4", "\"version\": 0"},
        {"\"version\": 4", "\"version\": 3"},
        {"\"version\": 4", "\"version\": \"4\""},
        {"\"version\": 4", "\"vorsion\": 4"},
        {"\"serial\": 18446744073709551615", "\"serial\": -1"},
        {"\"mode\": \"data\"", "\"mode\": \"other\""},
        {"\"name\": \"z\"", "\"name\": \"z.y\""},
        {"module.m[\\\"x\\\"]", "modul.m"},
        {"provider[\\\"terraform.io/builtin/terraform\\\"]", "someone"},
        {"\"index_key\": 0", "\"index_key\": 0.5"},
        {"\"index_key\": 0", "\"index_key\": true"},
        {"\"index_key\": 0", "\"index_key\": 10"},
        {"\"status\": \"tainted\"", "\"status\": \"other\""},
        {"\"0a1b2c3d\"", "\"0a1b2c3\""},
        {"\"data.t.z\"", "\"nonsense\""},
        {"\"data.t.z\"", "7"},
        {"\"get_attr\"", "\"other\""},
        {"\"tuple\"", "\"heap\""},
        {"\"create_before_destroy\": true", "\"create_before_destroy\": 1"},
        {"\"check_results\": null\n}", "\"check_results\": null\n"},
        {"\"big\"", "\"id\""},
    };

    for (auto const& [what, by] : faults) {
        auto const state = from_v4(replaced(small_file, what, by));
        EXPECT_FALSE(state) << what << " -> " << by;
        EXPECT_NE(kind_of_result(state), state_error::none) << what << " -> " << by;
    }
}

TEST(StateV4, RejectsAnEmptyFileWithAReason)
{
    auto const state = from_v4("");

    EXPECT_EQ(kind_of_result(state), state_error::invalid_file);
    EXPECT_EQ(codes_of(state), std::vector<std::string>{"state_file_empty"});
}

TEST(StateV4, DoesNotCrashOnDamagedFiles)
{
    std::uint64_t const seed = 71;
    std::mt19937_64 random(seed);
    std::string const sound = small_file;
    int refused = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string damaged = sound;
        for (int j = 0; j < 3; ++j) damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
        if (i % 3 == 0) damaged.resize(random() % damaged.size());
        auto const state = from_v4(damaged);
        if (!state) ++refused;
        else EXPECT_TRUE(from_v4(to_v4(*state, "x"))) << "seed " << seed << ", text " << i;
    }
    EXPECT_GT(refused, 1000);
}

TEST(Json, KeepsNumbersAsTheyAreWritten)
{
    auto const value = parse_json(" [ 1e400 , -0.10 ,123456789012345678901234567890 ] ");

    ASSERT_TRUE(value) << value.error().what();
    std::string text;
    append_compact(text, *value);
    EXPECT_EQ(text, "[1e400,-0.10,123456789012345678901234567890]");
}

TEST(Json, SortsMembersBytewise)
{
    auto const value = parse_json(R"({"b":1,"\u00e4":2,"B":3,"a":4})");

    ASSERT_TRUE(value) << value.error().what();
    std::string text;
    append_compact(text, *value);
    EXPECT_EQ(text, "{\"B\":3,\"a\":4,\"b\":1,\"\xC3\xA4\":2}");
}

TEST(Json, RejectsInvalidJson)
{
    for (std::string const text : {"", "{", "[1,]", "{\"a\":1,}", "01", "1.", "+1", "nul", "\"\\x\"", "\"\n\"",
             "\"\xFF\"", "\"\xC0\x80\"", "[1] 2", "{\"a\":1,\"a\":2}", "{a:1}"}) {
        auto const read = parse_json(text);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error().what(), testing::StartsWith("line "));
    }
}

TEST(Json, ReadsHalfOfASurrogatePairAsTheReplacementCharacter)
{
    auto const value = parse_json(R"(["\ud800","\udc00x","\ud800\u0041","\ud83d\ude00"])");

    ASSERT_TRUE(value) << value.error().what();
    std::string text;
    append_compact(text, *value);
    EXPECT_EQ(text,
        "[\"\xEF\xBF\xBD\",\"\xEF\xBF\xBDx\",\"\xEF\xBF\xBD"
        "A\",\"\xF0\x9F\x98\x80\"]");
}

TEST(Json, RejectsValuesThatAreNestedTooDeeply)
{
    EXPECT_FALSE(parse_json(std::string(100000, '[')));
    EXPECT_TRUE(parse_json(std::string(500, '[') + std::string(500, ']')));
}

}  // namespace iacctl::state::test
