// SPDX-License-Identifier: BSL-1.0
#include "commands/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace {

using namespace iacctl::commands;
using testing::ElementsAre;
using testing::HasSubstr;

auto parse(std::vector<std::string> arguments) -> request
{
    auto parsed = parse_command_line(std::move(arguments));
    if (auto const* const understood = std::get_if<request>(&parsed)) return *understood;
    if (auto const* const refused = std::get_if<strider::infra::diagnostic>(&parsed)) ADD_FAILURE() << refused->detail;
    else ADD_FAILURE() << std::get<help_text>(parsed).text;
    return {};
}

auto refusal(std::vector<std::string> arguments) -> strider::infra::diagnostic
{
    auto parsed = parse_command_line(std::move(arguments));
    auto const* refused = std::get_if<strider::infra::diagnostic>(&parsed);
    return refused == nullptr ? strider::infra::diagnostic() : *refused;
}

auto help(std::vector<std::string> arguments) -> std::string
{
    auto const parsed = parse_command_line(std::move(arguments));
    auto const* const told = std::get_if<help_text>(&parsed);
    return told == nullptr ? std::string() : told->text;
}

// Every flag, as users write it, and what becomes of it.
struct flag_case {
    std::vector<std::string> arguments;
    bool (*holds)(request const&);
};

class EveryFlag : public testing::TestWithParam<flag_case> {};

TEST_P(EveryFlag, IsUnderstoodWithOneDashAndWithTwo)
{
    auto const& [arguments, holds] = GetParam();
    auto doubled = arguments;
    for (auto& a : doubled)
        if (a.size() > 2 && a[0] == '-' && a[1] != '-') a.insert(0, "-");

    EXPECT_TRUE(holds(parse(arguments))) << testing::PrintToString(arguments);
    EXPECT_TRUE(holds(parse(doubled))) << testing::PrintToString(doubled);
}

flag_case const flags[] = {
    {{"plan", "-input=false"}, [](request const& r) { return !r.input; }},
    {{"plan", "-input"}, [](request const& r) { return r.input; }},
    {{"plan", "-no-color"}, [](request const& r) { return !r.colour; }},
    {{"plan"}, [](request const& r) { return r.colour && r.input && r.refresh && r.limits.parallelism == 10; }},
    {{"apply", "-auto-approve"}, [](request const& r) { return r.auto_approve && r.command == "apply"; }},
    {{"destroy", "-auto-approve"}, [](request const& r) { return r.auto_approve && r.command == "destroy"; }},
    {{"apply", "-parallelism=3"}, [](request const& r) { return r.limits.parallelism == 3; }},
    {{"apply", "-parallelism", "3"}, [](request const& r) { return r.limits.parallelism == 3; }},
    {{"plan", "-exclude=a.b", "-exclude", "module.m"},
        [](request const& r) { return r.excludes == std::vector<std::string>{"a.b", "module.m"}; }},
    {{"import", "-lock=false", "a.b", "id"}, [](request const& r) { return r.arguments.size() == 2 && !r.lock; }},
    {{"taint", "-allow-missing", "a.b"}, [](request const& r) { return r.allow_missing && r.command == "taint"; }},
    {{"state", "mv", "-dry-run", "a.b", "a.c"}, [](request const& r) { return r.dry_run && r.arguments.size() == 2; }},
    {{"plan", "-destroy"}, [](request const& r) { return r.destroy; }},
    {{"plan", "-refresh=false"}, [](request const& r) { return !r.refresh; }},
    {{"plan", "-refresh-only"}, [](request const& r) { return r.refresh_only; }},
    {{"plan", "-detailed-exitcode"}, [](request const& r) { return r.detailed_exit_code; }},
    {{"plan", "-out=p"}, [](request const& r) { return r.out == "p"; }},
    {{"plan", "-out", "p"}, [](request const& r) { return r.out == "p"; }},
    {{"plan", "-lock=false"}, [](request const& r) { return !r.lock; }},
    {{"apply", "-lock-timeout=1m30s"}, [](request const& r) { return r.lock_timeout == 90; }},
    {{"apply", "-lock-timeout=500ms"}, [](request const& r) { return r.lock_timeout == 0.5; }},
    {{"plan", "-compact-warnings"}, [](request const& r) { return r.compact_warnings; }},
    {{"show", "-json"}, [](request const& r) { return r.json; }},
    {{"show", "-json", "p"}, [](request const& r) { return r.json && r.arguments == std::vector<std::string>{"p"}; }},
    {{"output", "-raw", "name"}, [](request const& r) { return r.raw && r.arguments.size() == 1; }},
    {{"graph", "-type=apply", "-plan=p"}, [](request const& r) { return r.graph_type == "apply" && r.plan == "p"; }},
    {{"state", "list"}, [](request const& r) { return r.command == "state list"; }},
    {{"state", "resolve", "a.b", "-not-created"}, [](request const& r) { return r.not_created; }},
    {{"state", "resolve", "a.b", "-created", "x"}, [](request const& r) { return r.created == "x"; }},
    {{"state", "serve", "-listen=[::1]:0", "-directory", "d", "-users=u"},
        [](request const& r) {
            return r.serve.listen == "[::1]:0" && r.serve.directory == "d" && r.serve.users == "u"
                && r.serve.role == "write";
        }},
    {{"state", "serve", "-tls-certificate", "c", "-tls-key=k", "-client-ca", "a", "-allow-plain-text"},
        [](request const& r) {
            serve_request const& s = r.serve;
            return s.tls_certificate == "c" && s.tls_key == "k" && s.client_ca == "a" && s.allow_plain_text;
        }},
    {{"state", "serve", "-add-user", "ann", "-role", "read"},
        [](request const& r) { return r.serve.add_user == "ann" && r.serve.role == "read"; }},
    {{"-chdir=there", "plan"}, [](request const& r) { return r.directory == "there" && r.command == "plan"; }},
    {{"init", "-upgrade"}, [](request const& r) { return r.command == "init"; }},
};

INSTANTIATE_TEST_SUITE_P(CommandLine, EveryFlag, testing::ValuesIn(flags));

TEST(CommandLine, KeepsTargetsAndReplacementsInTheirOrder)
{
    auto const r = parse({"plan", "-target=a.b", "-target", "module.m", "-replace=a.c[0]"});

    EXPECT_THAT(r.targets, ElementsAre("a.b", "module.m"));
    EXPECT_THAT(r.replace, ElementsAre("a.c[0]"));
}

TEST(CommandLine, KeepsVariablesAndFilesInOneOrder)
{
    auto const r = parse({"plan", "-var", "a=-b", "-var-file=f.tfvars", "--var=c=[1, 2]", "-var=d=x=y"});

    std::vector<std::string> texts;
    for (auto const& v : r.variables) texts.push_back(v.text);
    EXPECT_THAT(texts, ElementsAre("a=-b", "f.tfvars", "c=[1, 2]", "d=x=y"));
    EXPECT_EQ(r.variables[1].kind, iacctl::language::variable_option::option_kind::file);
}

TEST(CommandLine, TakesAFileToApplyAfterTheOptions)
{
    EXPECT_THAT(parse({"apply", "-input=false", "plan.bin"}).arguments, ElementsAre("plan.bin"));
}

struct wrong_line {
    std::vector<std::string> arguments;
    std::string_view code;
};

wrong_line const wrong_lines[] = {
    {{}, "command_missing"},
    {{"state"}, "command_missing"},
    {{"fly"}, "unknown_command"},
    {{"state", "fly"}, "unknown_command"},
    {{"plan", "-colour"}, "unknown_option"},
    {{"state", "list", "-colour=1"}, "unknown_option"},
    {{"plan", "-parallelism=many"}, "invalid_option"},
    {{"apply", "-parallelism=-1"}, "invalid_option"},
    {{"apply", "-lock-timeout=soon"}, "invalid_option"},
    {{"plan", "-refresh=perhaps"}, "invalid_option"},
    {{"plan", "-out"}, "invalid_option"},
    {{"plan", "x"}, "too_many_arguments"},
    {{"show", "a", "b"}, "too_many_arguments"},
    {{"version", "a"}, "too_many_arguments"},
    {{"output", "a", "b"}, "unexpected_output_argument"},
};

TEST(CommandLine, RefusesWhatItDoesNotKnowWithACodeAndSaysWhereToLook)
{
    for (auto const& [arguments, code] : wrong_lines) {
        auto const refused = refusal(arguments);
        EXPECT_EQ(refused.code, code) << testing::PrintToString(arguments);
        if (code != "unexpected_output_argument") { EXPECT_THAT(refused.detail, HasSubstr("-help")); }
    }
}

TEST(CommandLine, TakesALimitThatNothingReachesForALargeOne)
{
    auto const limits = parse({"plan", "-parallelism=4294967295,local_file=4294967295"}).limits;

    EXPECT_EQ(limits.parallelism, 100'000U);
    EXPECT_EQ(limits.of_type.at("local_file"), 100'000U);
}

TEST(CommandLine, TakesAnEmptyValue)
{
    EXPECT_THAT(parse({"init", "-backend-config="}).backend_options, ElementsAre(""));
    EXPECT_THAT(parse({"init", "-backend-config", ""}).backend_options, ElementsAre(""));
    EXPECT_THAT(parse({"plan", "-out=", "-target=a.b"}).targets, ElementsAre("a.b"));
}

TEST(CommandLine, GivesHelp)
{
    EXPECT_THAT(help({"--help"}), HasSubstr("apply"));
    EXPECT_THAT(help({"plan", "-help"}), HasSubstr("--target"));
}

}  // namespace
