// SPDX-License-Identifier: BSL-1.0
#include "calls.hpp"

#include "language/evaluation/operations.hpp"
#include "language/values/parts.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {
namespace {

using namespace language;
using namespace functions::test;

/// The position of a part inside of a value: the index of an element or entry at each level. Empty: the value itself.
using part_path = std::vector<std::size_t>;

void add_paths(value const& v, part_path& at, std::vector<part_path>& out)
{
    out.push_back(at);
    std::size_t const size = v.size();
    for (std::size_t i = 0; i < size; ++i) {
        at.push_back(i);
        add_paths(v.entries().empty() ? v.elements()[i] : v.entries()[i].of, at, out);
        at.pop_back();
    }
}

auto paths_of(value const& v) -> std::vector<part_path>
{
    std::vector<part_path> made;
    part_path at;
    add_paths(v, at, made);
    return made;
}

template <class Change>
auto with_part(value const& v, std::span<std::size_t const> path, Change const& change) -> value
{
    if (path.empty()) return change(v);
    return with_parts(v, [&](value const& part, std::size_t position) {
        return position == path.front() ? with_part(part, path.subspan(1), change) : part;
    });
}

/// Another value of the same type; nothing if there is none.
auto other_than(value const& v) -> std::optional<value>
{
    if (!v.has_data()) return std::nullopt;
    if (v.is(type_kind::string)) return value(v.as_string() + "7");
    if (v.is(type_kind::number)) return value(*add(v.as_number(), number(1)));
    if (v.is(type_kind::boolean)) return value(!v.as_bool());
    bool changed = false;
    auto made = with_parts(v, [&](value const& part, std::size_t) {
        auto const other = other_than(part);
        changed = changed || other.has_value();
        return other.value_or(part);
    });
    return changed ? std::optional(std::move(made)) : std::nullopt;
}

/// The value as it is displayed: without its marked parts.
auto visible(value const& v) -> std::string
{
    if (v.marks() != mark::none) return "*";
    if (!v.has_data() || v.kind() < type_kind::list) return to_json(v);
    std::string text = type_to_json(v.get_type()) + "(";
    for (auto const& one : v.elements()) text += visible(one) + ",";
    for (auto const& [key, one] : v.entries()) text += key + "=" + visible(one) + ",";
    return text + ")";
}

/// Where a mark of an argument does not reach the result, and why that is right.
struct exception {
    std::string_view function;
    std::size_t argument;
    enum { of_whole, of_parts, of_both } position;
    mark which;
    std::string_view reason;
};

constexpr auto every_mark = mark::sensitive | mark::ephemeral;
constexpr exception exceptions[] = {
    {"nonsensitive", 0, exception::of_whole, mark::sensitive, "it removes this mark"},
    {"ephemeralasnull", 0, exception::of_both, mark::ephemeral, "null replaces ephemeral values"},
    {"issensitive", 0, exception::of_both, every_mark, "the result depends on the marks, not on the data"},
    {"assumeequal", 0, exception::of_both, every_mark, "the result is the other argument"},
    {"length", 0, exception::of_parts, every_mark, "the number of elements does not depend on their values"},
    {"keys", 0, exception::of_parts, every_mark, "the keys do not depend on the values"},
    {"lookup", 0, exception::of_parts, every_mark, "the result is one element"},
    {"lookup", 2, exception::of_both, every_mark, "the result is the element, if there is one"},
    {"element", 0, exception::of_parts, every_mark, "the result is one element"},
    {"slice", 0, exception::of_parts, every_mark, "the result has some of the elements"},
    {"merge", 0, exception::of_parts, every_mark, "elements of later arguments replace elements of earlier ones"},
    {"setproduct", 0, exception::of_parts, every_mark, "the result is empty if another set is"},
    {"templatefile", 1, exception::of_parts, every_mark, "a template need not refer to all variables"},
    {"templatestring", 1, exception::of_parts, every_mark, "a template need not refer to all variables"},
};

auto exception_for(std::string_view function, std::size_t argument, part_path const& path, mark which)
    -> exception const*
{
    auto const* const found = std::ranges::find_if(exceptions, [&](exception const& e) {
        return e.function == function && e.argument == argument && (e.which & which) != mark::none
            && (e.position == exception::of_both || (e.position == exception::of_whole) == path.empty());
    });
    return found == std::end(exceptions) ? nullptr : found;
}

/// Calls of all functions, also of those that read files.
class Marks : public ::testing::Test {
protected:
    Marks() : directory_(std::filesystem::temp_directory_path() / ("marks-" + std::to_string(::getpid())))
    {
        std::filesystem::create_directory(directory_);
        std::ofstream(directory_ / "text") << "a=${a} b=%{ for x in b }${x}%{ endfor }\n";
        all_ = calls();
        value const letters = value::map(type::string(), {{"a", value("A")}, {"b", value("B")}});
        value const file((directory_ / "text").string());
        for (auto const* const name : {"file", "filebase64", "fileexists", "filemd5", "filesha1", "filesha256",
                 "filesha512", "filebase64sha256", "filebase64sha512"})
            add(name, {file});
        add("bcrypt", {value("x"), value(number(4))});
        for (auto const& [name, given] : {std::pair("assumelistlengthmax", value::list(type::string(), {value("a")})),
                 std::pair("assumesetlengthmax", value::set(type::string(), {value("a")})),
                 std::pair("assumemaplengthmax", letters)})
            add(name, {given, value(number(2))});
        add("fileset", {value(directory_.string()), value("*")});
        value const b = value::tuple({value("x"), value("y")});
        value const variables = value::object({{"a", value("A")}, {"b", b}, {"unused", value("c")}});
        add("templatefile", {file, variables});
        add("templatestring", {value("${a}"), letters});
        add("templatestring", {value("%{ for x in b }${x}%{ endfor }"), variables});
        value const small = value::object({{"a", value("A")}});
        for (auto const* const name : {"encode_tfvars", "encode_expr"})
            all_.push_back({name, find_builtin_function(name), {small}});
        all_.push_back({"decode_tfvars", find_builtin_function("decode_tfvars"), {value("a = \"A\"\n")}});
    }
    ~Marks() override { std::filesystem::remove_all(directory_); }

    [[nodiscard]] auto all() const noexcept -> std::vector<call_example> const& { return all_; }

    /// Calls `visit(example, argument, path)` for all positions of a mark in the arguments.
    template <class Visit>
    void for_each_position(Visit const& visit) const
    {
        for (auto const& one : all_)
            for (std::size_t i = 0; i < one.given.size(); ++i)
                for (auto const& path : paths_of(one.given[i])) visit(one, i, path);
    }

private:
    void add(char const* name, std::vector<value> given)
    {
        all_.push_back({name, find_function(name), std::move(given)});
    }

    std::filesystem::path directory_;
    std::vector<call_example> all_;
};

auto marked(std::vector<value> given, std::size_t argument, part_path const& path, mark which) -> std::vector<value>
{
    given[argument] = with_part(given[argument], path, [&](value const& part) { return part.with_marks(which); });
    return given;
}

auto described(call_example const& example, std::size_t argument, part_path const& path, mark which) -> std::string
{
    std::string text = example.text + ": " + (which == mark::sensitive ? "sensitive" : "ephemeral") + " argument "
        + std::to_string(argument);
    for (auto const index : path) text += "[" + std::to_string(index) + "]";
    return text;
}

TEST_F(Marks, AreTestedForAllFunctions)
{
    std::set<std::string_view> untested(function_names().begin(), function_names().end());
    for (auto const& one : all())
        if (!one.given.empty()) untested.erase(one.called->name);

    // Functions of the evaluator; functions without arguments; and one that needs a key, whose parameters are ordinary.
    EXPECT_EQ(untested,
        (std::set<std::string_view>{"can", "convert", "try", "plantimestamp", "timestamp", "uuid", "rsadecrypt"}));
    for (auto const& one : find_function("rsadecrypt")->parameters) EXPECT_FALSE(one.allow_marked);
}

TEST_F(Marks, ReachTheResult)
{
    std::set<exception const*> unused;
    for (auto const& one : exceptions) unused.insert(&one);
    for (mark const which : {mark::sensitive, mark::ephemeral})
        for_each_position([&](call_example const& example, std::size_t i, part_path const& path) {
            auto const made = call(*example.called, marked(example.given, i, path, which), now);

            ASSERT_TRUE(made) << described(example, i, path, which);
            bool const reached = made->has_deep(which);
            auto const* const allowed = exception_for(example.called->name, i, path, which);
            if (!reached) unused.erase(allowed);
            EXPECT_TRUE(reached || allowed) << described(example, i, path, which);
        });
    for (auto const* const one : unused) ADD_FAILURE() << "no call needs the exception of " << one->function;
}

TEST_F(Marks, ReachAResultThatIsUnknownBecauseOfAnotherArgument)
{
    for (mark const which : {mark::sensitive, mark::ephemeral})
        for_each_position([&](call_example const& example, std::size_t i, part_path const& path) {
            for (std::size_t j = 0; j < example.given.size(); ++j) {
                if (j == i) continue;
                auto given = marked(example.given, i, path, which);
                given[j] = value::unknown(given[j].get_type()).refined_not_null();
                auto const made = call(*example.called, given, now);

                ASSERT_TRUE(made) << described(example, i, path, which);
                auto const* const allowed = exception_for(example.called->name, i, path, which);
                // Another argument may be the result as it is, known or not.
                bool const is_other = *made == given[j] || example.called->name == "assumeequal";
                bool const has_parts = marks_of_unknown(made->get_type(), given[i]) == mark::none;
                bool const may_miss =
                    (allowed && (!made->is_unknown() || is_other)) || (made->is_unknown() && has_parts);
                EXPECT_TRUE(made->has_deep(which) || may_miss)
                    << described(example, i, path, which) << ", and argument " << j << " unknown";
            }
        });
}

/// The list of exceptions states the intention. This is the law behind it: a reader of the result learns nothing about
/// the data that has the mark.
TEST_F(Marks, HideAllThatDependsOnTheMarkedData)
{
    std::size_t compared = 0;
    for (mark const which : {mark::sensitive, mark::ephemeral})
        for_each_position([&](call_example const& example, std::size_t i, part_path const& path) {
            if (example.called->name == "nonsensitive" && which == mark::sensitive && path.empty()) return;
            auto given = marked(example.given, i, path, which);
            auto const made = call(*example.called, given, now);
            given[i] = with_part(given[i], path, [&](value const& part) {
                return other_than(part.unmarked_deep()).value_or(part).with_marks(part.deep_marks() | which);
            });
            auto const other = call(*example.called, given, now);
            if (!made || !other) return;  // the evaluator does not show the reason

            ++compared;
            EXPECT_EQ(visible(*made), visible(*other)) << described(example, i, path, which);
        });
    EXPECT_GT(compared, 1000U);
}

/// Sensitive and unknown values, and combinations of them.
class marked_scope final : public scope {
public:
    explicit marked_scope(mark which) : which_(which) {}

    [[nodiscard]] auto resolve(reference const& r, diagnostics& found) const -> value override
    {
        auto const name = r.address();
        if (name == "var.marked") return value::tuple({value(number(1))}).with_marks(which_);
        if (name == "var.text") return value("x").with_marks(which_);
        if (name == "var.unknown") return value::unknown(type::string()).refined_not_null();
        if (name == "var.number") return value::unknown(type::number()).refined_not_null();
        if (name == "var.any") return value::unknown();
        if (name == "var.any_marked") return value::unknown().with_marks(which_);
        found.add(error(messages::reference_in_constant, r.range));
        return value::unknown();
    }

private:
    mark which_;
};

TEST(MarksOfExpressions, ReachTheResult)
{
    for (mark const which : {mark::sensitive, mark::ephemeral})
        for (auto const* const text : {"try(var.marked, 1)", "try({} + 1, var.marked[0])",
                 "convert(var.marked, list(string))", "convert(var.marked[0], any)", "concat([var.marked]...)",
                 "max(var.marked...)", "max(var.any_marked...)", "format(var.text, var.any...)",
                 "[var.text, \"b\"][1 - 1]", "tolist([\"b\", var.text])[var.number]",
                 "{a = var.text, b = \"b\"}[\"a\"]", "tomap({a = var.text, b = \"b\"})[var.unknown]",
                 "var.unknown == \"x\" ? var.text : \"b\"", "var.unknown == var.text ? 1 : 2",
                 "var.unknown == \"x\" ? tolist([var.text]) : tolist([\"b\"])", "[for x in var.any_marked : x]",
                 "{for x in var.any_marked : x => 1}", "[for x in [var.unknown] : 1 if x == var.text]",
                 "{for x in [var.text] : x => 1}", "{for x in [var.text] : \"k\" => x}", "{(var.text) = var.any}",
                 "{(var.unknown) = 1, (var.text) = 2}", "\"${var.unknown}${var.text}\"",
                 "\"${var.text}${var.unknown}\"", "\"%{ for x in [var.unknown, var.text] }${x}%{ endfor }\"",
                 "\"%{ for x in [var.text, var.unknown] }${x}%{ endfor }\"",
                 "\"%{ if var.unknown == \"x\" }${var.text}%{ endif }\"", "var.any_marked.*.x", "var.any_marked[*].x",
                 "var.any_marked.x", "var.any_marked[0]", "var.unknown[var.any_marked]", "var.text == var.unknown",
                 "var.unknown != var.text", "var.number < var.marked[0]", "!(var.unknown == var.text)",
                 "-(var.number + var.marked[0])", "var.unknown == \"x\" && var.text == \"x\""}) {
            diagnostics found;
            auto const parsed = parse_expression("<test>", text, found);
            auto const made = evaluate(parsed.root, marked_scope(which), found);

            EXPECT_FALSE(found.has_errors()) << text << ": " << found[0].detail;
            EXPECT_TRUE(made.has_deep(which)) << text;
        }
}

TEST(MarksOfExpressions, DoNotReachNamedPartsThatDoNotHaveThem)
{
    for (auto const* const text : {"[{a = var.text, b = 1}, {a = \"\", b = 2}][var.number].b",
             "(var.unknown == \"x\" ? {a = var.text, b = 1} : {a = \"\", b = 2}).b",
             "merge({a = var.text, b = 1}, var.any).b", "element([{a = var.text, b = 1}], var.number).b"}) {
        diagnostics found;
        auto const parsed = parse_expression("<test>", text, found);
        auto const made = evaluate(parsed.root, marked_scope(mark::sensitive), found);

        EXPECT_FALSE(found.has_errors()) << text;
        EXPECT_EQ(made.deep_marks(), mark::none) << text;
    }
}

}  // namespace
}  // namespace iacctl
