// SPDX-License-Identifier: BSL-1.0
#include "messages/catalogue.hpp"
#include "messages/explanations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace {

namespace messages = iacctl::messages;

// Messages about another product, which name it.
constexpr std::array about_others{
    std::string_view("duplicate_cloud"),  // a summary that tools match
    std::string_view("function_of_opentofu"),  // Terraform and OpenTofu differ
    std::string_view("state_in_interchange_mode"),  // the mode is there so that Terraform reads the state
    std::string_view("state_in_native_mode"),  // as above
    std::string_view("state_file_flat_attributes"),  // only Terraform can rewrite what its version 0.11 wrote
    std::string_view("state_file_too_old"),  // as above
    std::string_view("state_of_terraform"),  // its state file was found, and is to be used no more
    std::string_view("state_of_terraform_diverged"),  // as above
    std::string_view("state_of_terraform_newer"),  // as above
    std::string_view("state_of_terraform_unchecked"),  // as above
    std::string_view("state_of_terraform_unreadable"),  // as above
    std::string_view("state_in_terraform_backend"),  // as above
    std::string_view("terraform_state_not_taken_over"),  // as above
    std::string_view("unsupported_backend"),  // only Terraform reaches the states that it keeps there
    std::string_view("unsupported_cloud_block"),  // as above
    std::string_view("unsupported_terraform_backend"),  // as above
    std::string_view("incompatible_module"),  // the version that a module asks for is one of OpenTofu
    std::string_view("unsupported_language_version"),  // the version that a configuration asks for is one of Terraform
    std::string_view("unsupported_language_version_of_module"),  // as above
    std::string_view("remote_tests_not_supported"),  // only a service of HashiCorp runs them
    std::string_view("removed_without_lifecycle"),  // Terraform and OpenTofu differ
    std::string_view("unknown_opentofu_edition"),  // editions are numbered by OpenTofu's versions
    std::string_view("unsupported_language_edition"),  // editions are numbered by its versions
};

auto is_code(std::string_view text) -> bool
{
    auto const is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    bool const words = !text.empty() && std::ranges::all_of(text, is_part) && text.find("__") == text.npos;
    return words && text.front() != '_' && text.back() != '_' && !(text.front() >= '0' && text.front() <= '9');
}

// True if the text ends with a sentence, a list, or a command on its own line.
auto is_ended(std::string_view detail) -> bool
{
    if (detail.empty()) return false;
    auto const line = detail.substr(detail.rfind('\n') + 1);
    return line.starts_with(' ') || line.ends_with('.') || line.ends_with('?') || line.ends_with('}');
}

TEST(Catalogue, HasUniqueCodesInLowerCase)
{
    std::string_view before;
    for (messages::message_text const& one : messages::all_messages()) {
        EXPECT_TRUE(is_code(one.code)) << one.code;
        EXPECT_LT(before, one.code);
        before = one.code;
    }
}

TEST(Catalogue, HasASummaryInOneLineAndADetailWithAnEnd)
{
    for (messages::message_text const& one : messages::all_messages()) {
        EXPECT_FALSE(one.summary.empty()) << one.code;
        EXPECT_EQ(one.summary.find('\n'), one.summary.npos) << one.code;
        EXPECT_TRUE(is_ended(one.detail)) << one.code << ": \"" << one.detail << '"';
    }
}

TEST(Catalogue, StatesTheSameRuleOfQuestionsBesideEachMigration)
{
    for (messages::message_text const& one : messages::all_messages()) {
        if (one.detail.find("iacctl init -migrate-state") == one.detail.npos) continue;
        EXPECT_THAT(std::string(one.detail),
            testing::HasSubstr(
                "It asks before it copies. In a script, use -force-copy instead, which answers \"yes\"."))
            << one.code;
    }
}

TEST(Catalogue, NamesNoPageThatAnInstallationMayLack)
{
    for (messages::message_text const& one : messages::all_messages()) {
        EXPECT_EQ(one.detail.find("docs/"), one.detail.npos) << one.code;
        EXPECT_EQ(messages::explanation_of(one.code).find("docs/"), std::string::npos) << one.code;
    }
}

TEST(Catalogue, NamesOneProduct)
{
    for (messages::message_text const& one : messages::all_messages()) {
        if (std::ranges::find(about_others, one.code) != about_others.end()) continue;
        std::string const text = std::string(one.summary) + '\n' + std::string(one.detail);
        for (char const* const name : {"Terraform", "OpenTofu", "HashiCorp"})
            EXPECT_EQ(text.find(name), text.npos) << one.code << ": " << text;
        for (char const* const command : {"\"terraform ", "\"tofu "})
            EXPECT_EQ(text.find(command), text.npos) << one.code << ": " << text;
    }
}

TEST(Catalogue, ExplainsEachMessageInDifferentSentences)
{
    for (messages::message_text const& one : messages::all_messages()) {
        std::string const text = messages::explanation_of(one.code);
        ASSERT_FALSE(text.empty()) << one.code << " has no explanation in messages/explanations";
        std::string_view const prose(text.data(), std::min(text.find("\n\n"), text.size()));
        EXPECT_GE(prose.size(), 40U) << one.code;
        EXPECT_THAT(std::string(prose.substr(prose.find_last_not_of('\n'), 1)), testing::AnyOf(".", ")")) << one.code;
        EXPECT_NE(prose, one.detail) << one.code;
    }
    EXPECT_TRUE(messages::explanation_of("no_such_code").empty());
}

TEST(Catalogue, JoinsTheLinesOfAnExplanationAndKeepsItsExample)
{
    EXPECT_THAT(messages::explanation_of("state_locked"),
        testing::EndsWith(" the lock is released.\n\n    iacctl apply -lock-timeout=5m\n"));
    EXPECT_THAT(messages::explanation_of("state_locked"),
        testing::StartsWith("Only one command at a time may change a state, "));
}

TEST(Catalogue, KeepsItsListOfExceptionsShort)
{
    for (std::string_view const code : about_others) EXPECT_NE(messages::find_message(code), nullptr) << code;
}

}  // namespace
