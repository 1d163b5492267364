// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "base/suggestion.hpp"
#include "language/syntax/json_syntax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {
namespace {

struct mistake {
    std::string_view code;
    std::string text;
};

/// All codes that are reported for a text.
using reading = std::vector<std::string> (*)(std::string const& text);

[[nodiscard]] auto codes(diagnostics const& found) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& one : found) all.emplace_back(one.code);
    return all;
}

[[nodiscard]] auto of_file(std::string const& text) -> std::vector<std::string>
{
    diagnostics found;
    static_cast<void>(parse_file("main.tf", text, found));
    return codes(found);
}

[[nodiscard]] auto of_expression(std::string const& text) -> std::vector<std::string>
{
    diagnostics found;
    auto const parsed = parse_expression("test", text, found);
    if (!found.has_errors()) static_cast<void>(references_of(parsed.root, found));
    return codes(found);
}

[[nodiscard]] auto of_json(std::string const& text) -> std::vector<std::string>
{
    static body_shape const inner{{{"once"}}, {}};
    static body_shape const shape{{}, {{"plain", {}, &inner}, {"named", {"name"}, nullptr}}};
    diagnostics found;
    static_cast<void>(parse_json_file("main.tf.json", text, shape, found));
    return codes(found);
}

[[nodiscard]] auto repeated(std::string_view text, std::size_t count) -> std::string
{
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
}

std::vector<mistake> const in_files{
    {"bitwise_and", "a = b & c\n"},
    {"bitwise_or", "a = b | c\n"},
    {"bitwise_not", "a = ~b\n"},
    {"bitwise_xor", "a = b ^ c\n"},
    {"backquote", "a = `b`\n"},
    {"single_quote", "a = 'b'\n"},
    {"semicolon", "a = 1;\n"},
    {"curly_quote", "a = \u201Cb\u201D\n"},
    {"unknown_character", "a = @\n"},
    {"unknown_character", "a =\u00A01\n"},
    {"lone_carriage_return", "a = 1\rb = 2\n"},
    {"lone_carriage_return", "a = <<EOT\nb\rc\nEOT\n"},
    {"source_not_utf8", "a = \xFF\n"},
    {"source_not_utf8", "a = \"\xFF\"\n"},
    {"source_utf16",
        std::string("\xFF\xFE"
                    "a\0 \0=\0 \0001\0\n\0",
            14)},
    {"source_utf16", std::string("\xFE\xFF\0a\0 \0=\0 \0001\0\n", 14)},
    {"newline_in_string", "a = \"b\nc\"\n"},
    {"unclosed_block", "a {\n"},
    {"unclosed_bracket", "a {\n  b = {\n    c = 1\n}\n"},
    {"unclosed_block", "a { b = 1"},
    {"item_expected", "1 = a\n"},
    {"item_expected", "a { 1 = b }\n"},
    {"incomplete_item", "a\n"},
    {"incomplete_item", "a { b }\n"},
    {"block_nested_too_deeply", repeated("a {\n", 400)},
    {"quoted_argument_name", "\"a\" = 1\n"},
    {"comma_after_argument", "a = 1, b = 2\n"},
    {"missing_newline_after_argument", "a = 1 b = 2\n"},
    {"attribute_redefined", "a = 1\na = 2\n"},
    {"equals_in_block_header", "a b = 1\n"},
    {"block_header_without_brace", "a \"b\"\n{\n}\n"},
    {"unexpected_in_block_header", "a b 1 {\n}\n"},
    {"missing_newline_after_block", "a {\n} b = 1\n"},
    {"block_in_single_line_block", "a { b {} }\n"},
    {"second_argument_in_single_line_block", "a { b = 1, c = 2 }\n"},
    {"single_line_block_goes_on", "a { b = 1\n}\n"},
    {"unexpected_in_single_line_block", "a { b = 1 c = 2 }\n"},
    {"template_in_label", "a \"b${c}\" {\n}\n"},
    {"template_in_label", "a \"b%{ if c }\" {\n}\n"},
    {"unclosed_label", "a \"b"},
    {"unexpected_in_label", "a \"b\nc\" {\n}\n"},
};

std::vector<mistake> const in_expressions{
    {"expression_nested_too_deeply", repeated("[", 400)},
    {"expression_nested_too_deeply", "1" + repeated(" + 1", 4000)},
    {"text_after_expression", "1 2"},
    {"conditional_without_else", "a ? b"},
    {"chained_legacy_index", "a.1.2"},
    {"chained_legacy_index_in_splat", "a.*.1.2"},
    {"attribute_name_expected", "a.(b)"},
    {"attribute_name_expected", "a.*.(b)"},
    {"nested_attribute_splat", "a.*.b.*"},
    {"unclosed_splat_index", "a[*b]"},
    {"unclosed_index", "a[1 2]"},
    {"unbalanced_parentheses", "(1 2)"},
    {"invalid_number_literal", "1.2.3"},
    {"missing_expression", "1 +"},
    {"invalid_expression", "1 + )"},
    {"function_name_expected", "a::1()"},
    {"call_without_parenthesis", "a::b"},
    {"argument_after_expansion", "a(b..., c)"},
    {"unclosed_call", "a(b"},
    {"missing_argument_separator", "a(b c)"},
    {"unclosed_tuple", "[1"},
    {"missing_item_separator", "[1 2]"},
    {"attribute_without_value", "{a, b = 1}"},
    {"unquoted_object_key", "{a b = 1}"},
    {"missing_key_value_separator", "{a 1}"},
    {"unclosed_object", "{a = 1"},
    {"unclosed_object", "{a"},
    {"missing_attribute_separator", "{a = 1 b = 2}"},
    {"for_expression_without_name", "[for 1 in a : a]"},
    {"for_expression_without_second_name", "[for a, 1 in b : a]"},
    {"for_expression_without_in", "[for a of b : a]"},
    {"for_expression_without_colon", "[for a in b a]"},
    {"text_after_for_expression", "[for a in b : a c]"},
    {"key_in_tuple_for", "[for a in b : a => a]"},
    {"grouping_in_tuple_for", "[for a in b : a...]"},
    {"object_for_without_key", "{for a in b : a}"},
    {"incomplete_unicode_escape", R"("\u12")"},
    {"incomplete_unicode_escape", R"("\U0001F60")"},
    {"escape_of_no_character", R"("\ud800")"},
    {"unknown_escape", R"("\q")"},
    {"unknown_escape", "\"\\\u00E9\""},
    {"lone_backslash", "\"a\\\n\""},
    {"unclosed_template", "\"a"},
    {"unclosed_template", "<<EOT\na\n"},
    {"unclosed_interpolation", "\"${a"},
    {"unclosed_interpolation_in_string", "\"${a\""},
    {"colon_in_interpolation", "\"${a:-b}\""},
    {"text_after_interpolation", "\"${a b}\""},
    {"missing_template_keyword", "\"%{ 1 }\""},
    {"for_directive_without_name", "\"%{ for 1 in a }%{ endfor }\""},
    {"for_directive_without_second_name", "\"%{ for a, 1 in b }%{ endfor }\""},
    {"for_directive_without_in", "\"%{ for a of b }%{ endfor }\""},
    {"unknown_template_keyword", "\"%{ something }\""},
    {"misspelled_template_keyword", "\"%{ edif }\""},
    {"text_after_directive", "\"%{ if a b }%{ endif }\""},
    {"directive_without_beginning", "\"%{ else }\""},
    {"directive_without_beginning", "\"%{ endif }\""},
    {"directive_without_beginning", "\"%{ endfor }\""},
    {"if_directive_without_end", "\"%{ if a }\""},
    {"second_else_directive", "\"%{ if a }%{ else }%{ else }%{ endif }\""},
    {"endfor_in_if_directive", "\"%{ if a }%{ endfor }\""},
    {"for_directive_without_end", "\"%{ for a in b }\""},
    {"else_in_for_directive", "\"%{ for a in b }%{ else }%{ endfor }\""},
    {"endif_in_for_directive", "\"%{ for a in b }%{ endif }\""},
    {"reserved_symbol", "template.a"},
    {"incomplete_object_reference", "resource.a"},
    {"incomplete_object_reference", "data.a"},
    {"incomplete_object_reference", "ephemeral"},
    {"object_indexed", "var[0]"},
    {"object_indexed", "data[0].a"},
    {"object_without_attribute", "local"},
    {"resource_reference_without_name", "toy"},
    {"resource_reference_without_name", "resource.toy[0]"},
    {"data_reference_without_name", "data.toy[0]"},
    {"ephemeral_reference_without_name", "ephemeral.toy[0]"},
    {"action_reference_without_name", "action.toy[0]"},
    {"list_reference_without_name", "list.toy[0]"},
};

std::vector<mistake> const in_json{
    {"json_text_after_value", "{} x"},
    {"json_root_not_object", "5"},
    {"json_nested_too_deeply", repeated("[", 400)},
    {"json_missing_value", "{\"a\": }"},
    {"json_missing_element", "{\"a\": ]}"},
    {"json_ends_before_value", ""},
    {"json_invalid_value", "{\"a\": *}"},
    {"json_name_not_string", "{1: 2}"},
    {"json_property_without_value", "{\"a\"}"},
    {"json_equals_for_colon", "{\"a\" = 1}"},
    {"json_missing_colon", "{\"a\" 1}"},
    {"json_trailing_comma_in_object", "{\"a\": 1,}"},
    {"json_unclosed_object", "{\"a\": 1"},
    {"json_object_closed_by_bracket", "{\"a\": 1]"},
    {"json_missing_comma_in_object", "{\"a\": 1 \"b\": 2}"},
    {"json_trailing_comma_in_array", "{\"a\": [1,]}"},
    {"json_colon_in_array", "{\"a\": [\"b\": 1]}"},
    {"json_unclosed_array", "{\"a\": [1"},
    {"json_array_closed_by_brace", "{\"a\": [1}"},
    {"json_missing_comma_in_array", "{\"a\": [1 2]}"},
    {"json_invalid_number", "{\"a\": 01}"},
    {"json_javascript_word", "{\"a\": undefined}"},
    {"json_unknown_word", "{\"a\": something}"},
    {"json_misspelled_word", "{\"a\": tru}"},
    {"json_unclosed_string", "{\"a\": \"x"},
    {"json_unclosed_string", "{\"a\": \"x\\\""},
    {"json_unclosed_string", "{\"a\": \"x\ty\"}"},
    {"json_unknown_escape", R"({"a": "\q"})"},
    {"json_unknown_escape", R"({"a": "\\\u12"})"},
    {"json_string_not_utf8", "{\"a\": \"\xFF\"}"},
    {"json_attribute_repeated", "{\"a\": 1, \"a\": 2}"},
    {"json_argument_repeated", R"({"plain": {"once": 1, "once": 2}})"},
    {"json_body_not_object", R"({"plain": [1]})"},
    {"json_body_element_not_object", R"([1])"},
    {"json_label_not_object", R"({"named": 1})"},
    {"json_label_element_not_object", R"({"named": [1]})"},
    {"json_block_not_object", R"({"plain": 1})"},
    {"json_missing_label", R"({"named": {}})"},
};

struct language_part {
    reading read;
    std::vector<mistake> const* mistakes;
};
std::array<language_part, 3> const parts{{{of_file, &in_files}, {of_expression, &in_expressions}, {of_json, &in_json}}};

TEST(Mistakes, HaveUniqueCodes)
{
    for (auto const& part : parts) {
        for (auto const& one : *part.mistakes) {
            auto const reported = part.read(one.text);

            EXPECT_NE(std::ranges::find(reported, one.code), reported.end())
                << one.text.substr(0, 80) << " is reported as " << ::testing::PrintToString(reported) << ", not "
                << one.code;
        }
    }
}

TEST(Mistakes, NameTheWholeCharacterOfAnInvalidEscape)
{
    diagnostics found;

    static_cast<void>(parse_expression("test", "\"\\\u00E9\"", found));

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].detail.substr(0, 5), "\"\\\u00E9\"");
    EXPECT_EQ(found[0].source.byte, 1U);
    EXPECT_EQ(found[0].source.end.byte, 4U);
}

TEST(Mistakes, CoverAllMessagesAboutSyntax)
{
    std::set<std::string_view> missing{
#define IACCTL_MESSAGE(name, count, summary, detail) #name,
#include "messages/syntax.def"
#undef IACCTL_MESSAGE
    };
    for (auto const& part : parts)
        for (auto const& one : *part.mistakes) missing.erase(one.code);

    EXPECT_TRUE(missing.empty()) << ::testing::PrintToString(missing);
}

TEST(Suggestion, IsTheNearestName)
{
    auto const meant = [](std::string_view given, std::vector<std::string_view> const& all) {
        return name_suggestion(given, all);
    };
    EXPECT_EQ(meant("regoin", {"origin", "region"}), "region") << "an exchange of neighbours is one slip";
    EXPECT_EQ(meant("lenght", {"length"}), "length");
    EXPECT_EQ(meant("inpt", {"id", "input", "output"}), "input");
    EXPECT_EQ(meant("input", {"output", "id"}), "");
    EXPECT_EQ(meant("name", {"name"}), "") << "the same name is no other one";
    EXPECT_EQ(meant("a", {"b", "c"}), "") << "another name of one letter is no slip";
    EXPECT_EQ(meant("terraform_data.a", {"terraform_data.b"}), "") << "nor is it behind a dot";
    EXPECT_EQ(meant("terraform_data.wbe", {"terraform_data.e", "terraform_data.web"}), "terraform_data.web");
    EXPECT_EQ(meant("terraform_dta.web", {"terraform_data.web"}), "terraform_data.web");
    EXPECT_EQ(did_you_mean("countt", std::vector<std::string_view>{"count"}), " Did you mean \"count\"?");
    EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Suggestion, IsReadFromMessageThatContainsIt)
{
    // given
    std::vector<std::string_view> const all{"terraform_data.web"};
    auto const message = "It does not exist." + did_you_mean("terraform_data.wbe", all) + " There is more.";

    // when
    auto const name = suggested_name(message);

    // then
    EXPECT_EQ(name, "terraform_data.web");
    EXPECT_EQ(suggested_name("Did you mean \"x"), std::nullopt);
    EXPECT_EQ(suggested_name("It does not exist."), std::nullopt);
}

TEST(Suggestion, ReplacesLastPartWithAsManyNames)
{
    // given
    std::string const text = "upper(terraform_data.wbe.id)";

    // when
    auto const part = misspelt_part(text, "terraform_data.web");

    // then
    EXPECT_EQ(part, "terraform_data.wbe");
    EXPECT_EQ(misspelt_part("var.regoin", "region"), "regoin");
    EXPECT_EQ(misspelt_part("\"regoin\"", "region"), "regoin");
    EXPECT_EQ(misspelt_part("var.region", "region"), std::nullopt);
    EXPECT_EQ(misspelt_part("", "region"), std::nullopt);
}

}  // namespace
}  // namespace iacctl::language
