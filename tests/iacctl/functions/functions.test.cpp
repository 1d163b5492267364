// SPDX-License-Identifier: BSL-1.0
#include "examples.hpp"

#include <language/convert.hpp>
#include <language/evaluate.hpp>
#include <language/functions.hpp>
#include <language/parser.hpp>
#include <ui/diagnostic_json.hpp>
#include <ui/state_text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {
namespace {

using namespace language;

/// Knows no names; functions see a time that stands still.
class bare_scope final : public scope {
public:
    bare_scope()
    {
        context_.applying = true;
        context_.plan_time = "2024-02-29T12:00:00Z";
    }
    [[nodiscard]] value resolve(reference const& of, diagnostics& found) const override
    {
        found.add(error("Nothing is known here", of.address()));
        return value::unknown();
    }
    [[nodiscard]] call_context const& context() const noexcept override { return context_; }

private:
    call_context context_;
};

/// What an expression gives as the console shows it, or its first error in one line.
std::string shown(std::string const& text)
{
    diagnostics found;
    auto const parsed = parse_expression("<test>", text, found);
    auto const made = found.has_errors() ? value::unknown() : evaluate(parsed.root, bare_scope(), found);
    if (!found.has_errors()) return ui::value_text(made);
    auto line = "Error: " + found[0].summary + " " + found[0].detail;
    std::ranges::replace(line, '\n', ' ');
    for (auto at = line.find("  "); at != std::string::npos; at = line.find("  ")) line.erase(at, 1);
    return line;
}

struct call_example {
    std::string text;
    function const* called;
    std::vector<value> given;
};

/// The examples that are a call of a function with values, and succeed.
std::vector<call_example> calls()
{
    std::vector<call_example> all;
    for (auto const& one : function_examples) {
        if (std::string_view(one.shown).starts_with("Error: ")) continue;
        diagnostics found;
        auto const parsed = parse_expression("<test>", one.text, found);
        if (parsed.root.node().kind != syntax::node_kind::call) continue;
        auto const& call = syntax::as<syntax::call>(parsed.root.node());
        auto const* const called = find_function(call.name);
        if (!called || call.name == "templatestring" || call.name == "templatefile") continue;
        call_example made{one.text, called, {}};
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
            auto const argument = evaluate(parsed.root.with(call.arguments[i]), bare_scope(), found);
            made.given.push_back(*convert(argument, called->parameter_at(i)->of));
        }
        all.push_back(std::move(made));
    }
    return all;
}

call_context const now{true, "2024-02-29T12:00:00Z", false};

TEST(Functions, GiveWhatTheirDocumentationShows)
{
    for (auto const& one : function_examples) EXPECT_EQ(shown(one.text), one.shown) << one.text;
}

TEST(Functions, AreAllThatTheLanguageHas)
{
    auto const& names = function_names();

    EXPECT_EQ(names.size(), 118U);
    std::set<std::string_view> without_example(names.begin(), names.end());
    for (auto const& one : function_examples) {
        std::string_view const text = one.text;
        without_example.erase(text.substr(0, text.find('(')));
    }
    // What depends on files, on the time, or on chance has tests of its own.
    EXPECT_EQ(without_example,
        (std::set<std::string_view>{"filebase64sha256", "filebase64sha512", "filesha1", "filesha256", "filesha512",
            "plantimestamp", "timestamp", "uuid"}));
}

TEST(Functions, AreDescribed)
{
    for (auto const name : function_names()) EXPECT_FALSE(description_of(name).empty()) << name;
    EXPECT_FALSE(description_of("trim.cutset").empty());
    EXPECT_TRUE(description_of("trim.str").empty());

    EXPECT_EQ(signature_of("chunklist").result, type::list(type::list(type::dynamic())));
    EXPECT_EQ(signature_of("contains").result, type::dynamic());
    EXPECT_EQ(signature_of("length").result, type::number());
}

TEST(Functions, AreShownWithTheirSignatureWhereACallFails)
{
    diagnostics found;
    auto const parsed = parse_expression("<test>", "max(1, \"x\")", found);
    static_cast<void>(evaluate(parsed.root, bare_scope(), found));

    auto const shown_as = ui::validation_json(found);

    auto without_space = shown_as;
    std::erase_if(without_space, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_NE(without_space.find(R"("function_call":{"called_as":"max","signature":{"name":"max","params":[],)"
                                 R"("variadic_param":{"name":"numbers","type":"number"},"return_type":"number"}})"),
        std::string::npos)
        << shown_as;
}

TEST(Functions, GiveNothingKnownThatAnUnknownArgumentCouldChange)
{
    for (auto const& one : calls()) {
        auto const known = call(*one.called, one.given, now);
        ASSERT_TRUE(known) << one.text;
        for (std::size_t i = 0; i < one.given.size(); ++i) {
            auto given = one.given;
            given[i] = value::unknown(given[i].get_type()).refined_not_null();
            auto const made = call(*one.called, given, now);

            ASSERT_TRUE(made) << one.text << " with argument " << i << " unknown: " << made.error().message();
            EXPECT_TRUE(!made->wholly_known() || *made == *known) << one.text << " with argument " << i << " unknown";
        }
    }
}

TEST(Functions, MarkWhatComesFromSensitiveArguments)
{
    std::set<std::string_view> const exempt{"nonsensitive", "issensitive", "coalesce", "lookup", "merge"};
    for (auto const& one : calls()) {
        if (exempt.contains(one.called->name)) continue;
        for (std::size_t i = 0; i < one.given.size(); ++i) {
            auto given = one.given;
            given[i] = given[i].with_marks(mark::sensitive);
            auto const made = call(*one.called, given, now);

            ASSERT_TRUE(made) << one.text;
            EXPECT_NE(made->deep_marks(), mark::none) << one.text << " with argument " << i << " sensitive";
        }
    }
}

TEST(Functions, RefuseNullWhereTheyDoNotSayOtherwise)
{
    for (auto const& one : calls())
        for (std::size_t i = 0; i < one.given.size(); ++i) {
            if (one.called->parameter_at(i)->allow_null) continue;
            auto given = one.given;
            given[i] = value::null(given[i].get_type());
            auto const made = call(*one.called, given, now);

            ASSERT_FALSE(made) << one.text << " with argument " << i << " null";
            EXPECT_EQ(made.error().message(), "argument must not be null") << one.text;
        }
}

TEST(Functions, ThatDependOnTheTimeAreUnknownUntilApplied)
{
    call_context const planning{false, "2024-02-29T12:00:00Z", false};
    for (auto const* const name : {"timestamp", "uuid"}) {
        EXPECT_TRUE(call(*find_function(name), {}, planning)->is_unknown()) << name;
        EXPECT_TRUE(call(*find_function(name), {}, now)->has_data()) << name;
    }
    EXPECT_TRUE(call(*find_function("bcrypt"), std::array{value("x")}, planning)->is_unknown());
    EXPECT_EQ(call(*find_function("plantimestamp"), {}, planning)->as_string(), "2024-02-29T12:00:00Z");
    EXPECT_EQ(call(*find_function("uuid"), {}, now)->as_string().size(), 36U);
}

TEST(Functions, HashPasswordsSoThatTheyCanBeVerified)
{
    auto const made = call(*find_function("bcrypt"), std::array{value("secret"), value(number(4))}, now);

    ASSERT_TRUE(made);
    EXPECT_TRUE(made->as_string().starts_with("$2a$04$"));
    EXPECT_EQ(made->as_string().size(), 60U);
}

}  // namespace
}  // namespace iacctl
