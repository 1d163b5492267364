// SPDX-License-Identifier: BSL-1.0
// Properties of every available configuration and expression.
#include "fixtures.hpp"
#include "support.hpp"
#include "tree_text.hpp"

#include "language/configuration/configuration.hpp"
#include "language/validation/validate.hpp"
#include "language/values/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace iacctl::language {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using testing::tree_writer;

using testing::content_of;
using testing::fixtures_root;

/// Knows no types of objects, so all diagnostics come from the language itself.
class no_schemas final : public schema_source {
public:
    [[nodiscard]] auto resource(std::string_view, std::string_view) const -> schema const* override { return nullptr; }
    [[nodiscard]] auto data_source(std::string_view, std::string_view) const -> schema const* override
    {
        return nullptr;
    }
    [[nodiscard]] auto provisioner(std::string_view) const -> schema const* override { return nullptr; }
    [[nodiscard]] auto connection() const -> schema const* override { return nullptr; }
};

std::set<std::string> const of_types{"Invalid resource type", "Invalid data source", "Invalid ephemeral resource",
    "Missing required provisioner plugin"};

struct fixture {
    std::string name;  // "group/case"
    fs::path directory;
};

auto fixtures() -> std::vector<fixture>
{
    std::vector<fixture> all;
    for (auto const& group : fs::directory_iterator(fixtures_root)) {
        if (!group.is_directory()) continue;
        for (auto const& one : fs::directory_iterator(group.path()))
            if (one.is_directory())
                all.push_back({group.path().filename().string() + "/" + one.path().filename().string(), one.path()});
    }
    std::ranges::sort(all, {}, &fixture::name);
    return all;
}

/// The diagnostics of a fixture, without those about unknown types.
auto judged(fixture const& f) -> std::vector<diagnostic>
{
    diagnostics found;
    auto const made = load_configuration(f.directory, found);
    if (made.complete) validate(made, no_schemas(), found);
    std::vector<diagnostic> own;
    for (auto const& one : found)
        if (one.level == severity::error && !of_types.contains(one.summary)) own.push_back(one);
    return own;
}

TEST(Fixtures, AreRejectedIfTheLanguageDetectsTheError)
{
    if (!fs::exists(fixtures_root)) GTEST_SKIP() << "there is no " << fixtures_root;
    // Only a provider or a plan can find the errors of these.
    std::set<std::string> const later{"errors/apply-error", "errors/apply-inconsistent-with-plan",
        "errors/apply-unstable", "graph-errors/plan-module-cycle"};

    std::size_t refused = 0;
    for (auto const& one : fixtures()) {
        bool const wrong = one.name.starts_with("config-invalid-") || one.name.starts_with("config-error-files/")
            || one.name.starts_with("graph-errors/") || one.name.starts_with("errors/");
        if (!wrong || later.contains(one.name)) continue;
        ++refused;
        EXPECT_FALSE(judged(one).empty()) << one.name;
    }
    EXPECT_GT(refused, 0U);
}

TEST(Fixtures, LoadOrReportAReason)
{
    if (!fs::exists(fixtures_root)) GTEST_SKIP() << "there is no " << fixtures_root;
    // Features of OpenTofu only; each is refused, because Terraform does not have it.
    std::set<std::string> const foreign{"cli/skip-destroy", "config-diagnostics/import-in-child-module",
        "config-misc/provider_from_json", "config-valid-files/valid-language-edition",
        "config-valid-files/version-variable",
        // One of its for_each arguments is a number, because the fixture exists only for its references.
        "references/assorted",
        // An intentional error: its module is called without a provider configuration that it requires.
        "config-diagnostics/required-alias"};
    std::set<std::string> const expected{"Module not installed", "Unreadable module directory"};

    for (auto const& one : fixtures()) {
        bool const wrong = one.name.starts_with("config-invalid-") || one.name.starts_with("config-error-files/")
            || one.name.starts_with("graph-errors/") || one.name.starts_with("errors/");
        if (wrong) continue;
        for (auto const& said : judged(one)) {
            EXPECT_FALSE(said.detail.empty()) << one.name;
            EXPECT_TRUE(foreign.contains(one.name) || expected.contains(said.summary))
                << one.name << ": " << said.summary << ": " << said.detail;
        }
    }
}

// trees

/// True if a text has the same meaning after it was read and written again; empty if it cannot be written.
auto round_trips(std::string const& text) -> std::optional<bool>
{
    diagnostics found;
    auto const tree = parse_file("x.tf", text, found);
    if (found.has_errors()) return std::nullopt;
    tree_writer native(tree_writer::form::native);
    auto const written = native.written(tree->root());
    if (!native.is_whole()) return std::nullopt;
    auto const again = parse_file("x.tf", written, found);
    EXPECT_FALSE(found.has_errors()) << written << "\n" << (found.has_errors() ? found[0].summary : "");
    auto const before = tree_writer(tree_writer::form::brackets).written(tree->root());
    auto const after = tree_writer(tree_writer::form::brackets).written(again->root());
    EXPECT_EQ(before, after) << text;
    return before == after;
}

TEST(Trees, AreTheSameAfterTheyWereWrittenAndReadAgain)
{
    for (auto const* const text :
        {"a = 1 + 2 * (3 - x) / -y\n", "a = !b && c || d == e ? \"t\" : null\n", "a = b.c[0].d[\"e\"][f].g\n",
            "a = b[*].c.d[0]\n", "a = b.*.c.0\n", "a = b.*.c[0]\n", "a = [for x in y : x if x > 1]\n",
            "a = {for k, v in m : k => v...}\n", "a = {b = 1, \"c-d\" : 2, (e) = 3, f.g = 4}\n", "a = f(b, c...)\n",
            "a = core::upper(\"x\")\n", "a = \"x${y}z$${n}%%{n}\\n\\u00e9$\"\n", "a = \"${y}\"\n", "a = \"$${x}$\"\n",
            "a = \"$\\u007b${x}\"\n", "a = <<E\nx ${y}\n  z\nE\n", "a = <<-E\n  x\n    y\n  E\n",
            "b \"l\" m {\n  c {\n    d = 1\n  }\n}\n", "b { c = 1 }\n", "a = 9007199254740993.5e-7\n", "a = (((1)))\n",
            "a = (x).y\n", "a = f()[0].b[*]\n", "a = [1, [2], {}]\n", "a = - - 1\n"})
        EXPECT_EQ(round_trips(text), std::optional(true)) << text;
}

TEST(Trees, OfAllFixturesAreTheSameAfterTheyWereWrittenAndReadAgain)
{
    if (!fs::exists(fixtures_root)) GTEST_SKIP() << "there is no " << fixtures_root;
    std::size_t count = 0;
    for (auto const& entry : fs::recursive_directory_iterator(fixtures_root))
        if (entry.path().extension() == ".tf" && round_trips(content_of(entry.path()))) ++count;
    EXPECT_GT(count, 200U);
}

// unknown values

/// True if the facts about a value before it is known agree with the value itself.
auto predicts(value const& before, value const& after) -> bool
{
    if (before.is_unknown()) {
        if (before.is_definitely_not_null() && after.is_null()) return false;
        return before.is(type_kind::dynamic) || convertible(after.get_type(), before.get_type(), conversion::unsafe);
    }
    if (before.wholly_known() || !before.has_data()) return before.unmarked_deep() == after.unmarked_deep();
    if (before.kind() != after.kind()) return false;
    // Unknown elements of a set may turn out to be equal.
    if (before.is(type_kind::set)) return after.size() <= before.size();
    return std::ranges::equal(before.elements(), after.elements(), predicts)
        && std::ranges::equal(before.entries(), after.entries(),
            [](value_entry const& a, value_entry const& b) { return a.key == b.key && predicts(a.of, b.of); });
}

TEST(UnknownValues, AgreeWithLaterKnownResults)
{
    std::vector<std::string> const expressions{"x", "[x, 1]", "{a = x}", "{(x) = 1}", "\"a${x}b\"", "\"${x}\"",
        "x == x", "x != 1", "x == null", "x == null ? 1 : 2", "x != null ? x : \"d\"", "x ? 1 : 2", "true ? x : 1",
        "x + 1", "-x", "!x", "x > 2", "x && false", "x || true", "x.a", "x[0]", "x[\"a\"]", "x[*]", "x[*].a",
        "[for e in x : e]", "[for k, e in x : k if e != null]", "{for k, e in x : k => e}",
        "{for e in x : \"${e}\" => e...}", "length(x)", "upper(x)", "lower(x)", "tostring(x)", "tonumber(x)",
        "tobool(x)", "tolist(x)", "toset(x)", "tomap(x)", "toset([x, x])", "tolist([x, 1])", "try(x.a, 1)", "can(x.a)",
        "coalesce(x, 1)", "coalescelist(x, [1])", "concat(x, [1])", "keys(x)", "values(x)", "merge(x, {z = 1})",
        "merge({a = 1}, x)", "lookup({a = 1}, \"a\", x)", "lookup(x, \"a\", 0)", "element([x, 2], 1)", "element(x, 0)",
        "contains([1, x], 1)", "contains(x, 1)", "index([1, x], 1)", "distinct([x, 1])", "flatten([[x], 1])",
        "flatten(x)", "compact([x, \"\"])", "reverse(x)", "sort(x)", "slice([1, x, 3], 0, 2)", "zipmap([\"a\"], [x])",
        "setunion([x], [1])", "setintersection([x], [1])", "setsubtract([1], [x])", "setproduct([x], [1, 2])",
        "matchkeys([1, 2], [\"a\", x], [\"a\"])", "one(x)", "sum([1, x])", "max(1, x)", "min(1, x)", "abs(x)",
        "ceil(x)", "join(\",\", [x, \"b\"])", "join(x, [\"a\", \"b\"])", "split(\",\", x)", "replace(x, \"a\", \"b\")",
        "substr(x, 0, 1)", "trimspace(x)", "trimprefix(x, \"a\")", "startswith(x, \"a\")", "endswith(x, \"a\")",
        "strcontains(x, \"a\")", "format(\"%s-%v\", \"a\", x)", "formatlist(\"%s\", [x])", "jsonencode(x)",
        "jsonencode([x, 1])", "jsondecode(jsonencode(x))", "yamlencode(x)", "base64encode(x)", "sha256(x)", "md5(x)",
        "regexall(\"a\", x)", "regex(\"(?P<n>.)\", x)", "transpose({a = [x]})", "chunklist([1, x], 1)", "range(x)",
        "alltrue([true, x])", "anytrue([true, x])", "parseint(x, 10)", "title(x)", "type(x)",
        "nonsensitive(sensitive(x))", "sensitive(x)", "issensitive(x)", "ephemeralasnull(x)", "signum(x)", "strrev(x)",
        "indent(2, x)", "cidrhost(x, 1)", "timeadd(\"2020-01-01T00:00:00Z\", x)", "urlencode(x)", "defaults(x, {})",
        "chomp(x)", "\"%{if x}a%{else}b%{endif}\"", "\"%{for e in x}${e}%{endfor}\""};
    std::vector<value> const values{value(number(1)), value(number(0)), value("a"), value(""), value("10"), value(true),
        value(false), value::null(), value::null(type::string()), value::tuple({}),
        value::tuple({value("a"), value("b")}), value::tuple({value(number(1))}), value::tuple({value::null()}),
        value::object({}), value::object({{"a", value("v")}}), value::list(type::string(), {value("a"), value("a")}),
        value::set(type::number(), {value(number(1)), value(number(2))}),
        value::map(type::string(), {{"a", value("b")}}), value::list(type::string(), {}),
        value::null(type::list(type::string()))};

    std::size_t compared = 0;
    for (auto const& text : expressions) {
        diagnostics parsing;
        auto const parsed = parse_expression("test", text, parsing);
        ASSERT_FALSE(parsing.has_errors()) << text;
        for (auto const& known : values) {
            std::vector<value> refinements{value::unknown(), value::unknown(known.get_type())};
            if (!known.is_null()) refinements.push_back(value::unknown(known.get_type()).refined_not_null());
            for (auto const& unknown : refinements) {
                class one_scope final : public scope {
                public:
                    explicit one_scope(value v) : of_(std::move(v)) {}
                    [[nodiscard]] auto resolve(reference const&, diagnostics&) const -> value override { return {}; }
                    [[nodiscard]] auto variable(std::string_view name) const -> value const* override
                    {
                        return name == "x" ? &of_ : nullptr;
                    }

                private:
                    value of_;
                };
                diagnostics later;
                auto const after = evaluate(parsed.root, one_scope(known), later);
                if (later.has_errors()) continue;
                diagnostics sooner;
                auto const before = evaluate(parsed.root, one_scope(unknown), sooner);
                ++compared;
                // A null of the wrong type is accepted where a value of that type is not.
                if (known.is_null() && sooner.has_errors()) continue;
                // A list with an element of unknown type keeps the types of its other elements, as in Terraform.
                if (unknown.is(type_kind::dynamic) && (text == "tolist([x, 1])" || text == "chunklist([1, x], 1)"))
                    continue;
                EXPECT_FALSE(sooner.has_errors()) << text << " with unknown " << type_to_json(unknown.get_type())
                                                  << ": " << (sooner.has_errors() ? sooner[0].detail : "");
                EXPECT_TRUE(sooner.has_errors() || predicts(before, after))
                    << text << " with " << to_json(known)
                    << (known.is_null() ? " of " + type_to_json(known.get_type()) : "") << ", before as unknown "
                    << type_to_json(unknown.get_type()) << ": "
                    << (before.is_unknown() ? "unknown " + type_to_json(before.get_type())
                                   + (before.is_definitely_not_null() ? " not null" : "")
                                            : to_json(before.unmarked_deep()))
                    << ", then " << to_json(after.unmarked_deep()) << " " << type_to_json(after.get_type());
            }
        }
    }
    EXPECT_GT(compared, 1000U);
}

}  // namespace
}  // namespace iacctl::language
