// SPDX-License-Identifier: BSL-1.0
#include "commands/command_line.hpp"
#include "commands/command_table.hpp"
#include "commands/completion.hpp"
#include "commands/help.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace {

using namespace iacctl::commands;
using testing::ElementsAre;
using testing::HasSubstr;

auto parse(std::vector<std::string> arguments) -> request
{
    auto parsed = parse_command_line(std::move(arguments));
    if (auto const* const understood = std::get_if<request>(&parsed)) return *understood;
    if (auto const* const refused = std::get_if<command_line_error>(&parsed)) ADD_FAILURE() << refused->why.detail;
    else ADD_FAILURE() << std::get<help_text>(parsed).text;
    return {};
}

auto refusal(std::vector<std::string> arguments) -> strider::infra::diagnostic
{
    auto parsed = parse_command_line(std::move(arguments));
    auto const* refused = std::get_if<command_line_error>(&parsed);
    return refused == nullptr ? strider::infra::diagnostic() : refused->why;
}

auto help(std::vector<std::string> arguments) -> std::string
{
    auto const parsed = parse_command_line(std::move(arguments));
    auto const* const shown = std::get_if<help_text>(&parsed);
    return shown == nullptr ? std::string() : shown->text;
}

// Each flag as users write it, and the resulting option.
struct flag_case {
    std::vector<std::string> arguments;
    bool (*holds)(request const&);
};

class EveryFlag : public testing::TestWithParam<flag_case> {};

TEST_P(EveryFlag, IsAcceptedWithOneDashAndWithTwo)
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
    {{"plan", "-minimal-refresh"}, [](request const& r) { return r.refresh && r.minimal_refresh; }},
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
    {{"plan", "-target-file=a", "-exclude-file", "b"},
        [](request const& r) {
            return r.target_files == std::vector<std::string>{"a"} && r.exclude_files == std::vector<std::string>{"b"};
        }},
    {{"plan", "-policies=a", "-policies", "b", "-approve=x.y"},
        [](request const& r) {
            return r.policies == std::vector<std::string>{"a", "b"} && r.approvals == std::vector<std::string>{"x.y"};
        }},
    {{"apply", "-concise", "-show-sensitive", "-json-into=f"},
        [](request const& r) { return r.concise && r.show_sensitive && r.json_into == "f"; }},
    {{"show", "-config", "-json"}, [](request const& r) { return r.of_configuration && r.json; }},
    {{"show", "-module=m", "-json"}, [](request const& r) { return r.module_directory == "m"; }},
    {{"show", "-plan=p"}, [](request const& r) { return r.plan == "p"; }},
    {{"state", "list", "-state=f"}, [](request const& r) { return r.state == "f"; }},
    {{"state", "push", "-state=f", "g"}, [](request const& r) { return r.state_file == "f"; }},
    {{"explain", "-list", "-json"}, [](request const& r) { return r.list_codes && r.json; }},
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

TEST(CommandLine, AcceptsAPlanFileAfterTheOptions)
{
    EXPECT_THAT(parse({"apply", "-input=false", "plan.bin"}).arguments, ElementsAre("plan.bin"));
}

struct wrong_line {
    std::vector<std::string> arguments;
    std::string_view code;
};

wrong_line const wrong_lines[] = {
    {{}, "command_missing"},
    {{"workspace", "delete", "-state=f", "a"}, "legacy_state_option"},
    {{"state", "mv", "-state-out=f", "a.b", "a.c"}, "legacy_state_option"},
    {{"apply", "-state-out=f"}, "state_file_missing"},
    {{"state", "mv", "-backup=f", "a.b", "a.c"}, "state_file_missing"},
    {{"plan", "-state=f", "-backup=f"}, "legacy_state_option"},
    {{"apply", "-state="}, "invalid_option"},
    {{"plan", "-out="}, "invalid_option"},
    {{"plan", "-out", ""}, "invalid_option"},
    {{"plan", "-state", ""}, "invalid_option"},
    {{"apply", "-state=f", "-state-out="}, "invalid_option"},
    {{"state", "rm", "-state=f", "-backup=", "a.b"}, "invalid_option"},
    {{"state", "list", "-state="}, "invalid_option"},
    {{"apply", "-detailed-exitcode"}, "unknown_option"},
    {{"state"}, "command_missing"},
    {{"fly"}, "unknown_command"},
    {{"state", "fly"}, "unknown_command"},
    {{"plan", "-colour"}, "unknown_option"},
    {{"state", "list", "-colour=1"}, "unknown_option"},
    {{"plan", "-parallelism=many"}, "invalid_option"},
    {{"apply", "-parallelism=-1"}, "invalid_option"},
    {{"apply", "-lock-timeout=soon"}, "invalid_option"},
    {{"plan", "-refresh=perhaps"}, "invalid_option"},
    {{"plan", "-out"}, "option_value_missing"},
    {{"simulate", "-crash-at=-1"}, "invalid_option"},
    {{"simulate", "-parallelism=many"}, "invalid_option"},
    {{"plan", "x"}, "too_many_arguments"},
    {{"show", "a", "b"}, "too_many_arguments"},
    {{"version", "a"}, "too_many_arguments"},
    {{"output", "a", "b"}, "unexpected_output_argument"},
};

TEST(CommandLine, RejectsUnknownArgumentsWithACodeAndNamesTheHelp)
{
    for (auto const& [arguments, code] : wrong_lines) {
        auto const refused = refusal(arguments);
        EXPECT_EQ(refused.code, code) << testing::PrintToString(arguments);
        bool const describes_no_options =
            code == "unexpected_output_argument" || code == "legacy_state_option" || code == "state_file_missing";
        if (!describes_no_options) { EXPECT_THAT(refused.detail, HasSubstr("-help")); }
    }
}

TEST(CommandLine, TreatsAVeryLargeLimitAsTheMaximum)
{
    auto const limits = parse({"plan", "-parallelism=4294967295,local_file=4294967295"}).limits;

    EXPECT_EQ(limits.parallelism, 100'000U);
    EXPECT_EQ(limits.of_type.at("local_file"), 100'000U);
}

TEST(CommandLine, AcceptsAnEmptyValue)
{
    EXPECT_THAT(parse({"init", "-backend-config="}).backend_options, ElementsAre(""));
    EXPECT_THAT(parse({"init", "-backend-config", ""}).backend_options, ElementsAre(""));
    EXPECT_THAT(parse({"plan", "-var=", "-target=a.b"}).targets, ElementsAre("a.b"));
}

TEST(CommandLine, SuggestsTheNearestCommandAndOption)
{
    EXPECT_THAT(refusal({"aply"}).detail, HasSubstr("\"apply\""));
    EXPECT_THAT(refusal({"state", "lst"}).detail, HasSubstr("\"list\""));
    EXPECT_THAT(refusal({"plan", "-refesh=false"}).detail, HasSubstr("-refresh?"));
}

TEST(CommandLine, AcceptsAnIdThatBeginsWithADash)
{
    EXPECT_THAT(parse({"import", "-lock=false", "a.b", "-5"}).arguments, ElementsAre("a.b", "-5"));
    EXPECT_THAT(parse({"import", "a.b", "-id"}).arguments, ElementsAre("a.b", "-id"));
    EXPECT_THAT(parse({"state", "show", "--", "-x"}).arguments, ElementsAre("-x"));
}

class ArgumentsInTheEnvironment : public testing::Test {
protected:
    void TearDown() override
    {
        ::unsetenv("TF_CLI_ARGS");
        ::unsetenv("TF_CLI_ARGS_plan");
        ::unsetenv("TF_CLI_ARGS_state_list");
    }
};

TEST_F(ArgumentsInTheEnvironment, PrecedeThoseOfTheCommandLine)
{
    ::setenv("TF_CLI_ARGS", "-no-color -parallelism=3", 1);
    ::setenv("TF_CLI_ARGS_plan", "-var 'a=b c' -parallelism=2 -lock-timeout=\"5s\"", 1);

    auto const plan = parse({"plan", "-lock-timeout=7s"});
    EXPECT_FALSE(plan.colour);
    EXPECT_EQ(plan.limits.parallelism, 3U) << "the general ones prevail over those of the command, as in Terraform";
    EXPECT_EQ(plan.lock_timeout, 7);
    ASSERT_EQ(plan.variables.size(), 1U);
    EXPECT_EQ(plan.variables[0].text, "a=b c");
    EXPECT_EQ(refusal({"version"}).code, "unknown_option") << "a general argument that the command does not have";
}

TEST_F(ArgumentsInTheEnvironment, AreNamedByTheWordsOfTheCommand)
{
    ::setenv("TF_CLI_ARGS_state_list", "-id=7", 1);
    EXPECT_EQ(parse({"state", "list"}).id, "7");
    EXPECT_FALSE(parse({"state", "show", "a.b"}).id);
}

TEST_F(ArgumentsInTheEnvironment, AreRejectedWithAnOpenQuote)
{
    ::setenv("TF_CLI_ARGS_plan", "-var 'a=b", 1);
    EXPECT_EQ(refusal({"plan"}).code, "invalid_arguments_in_environment");
}

TEST(CommandTable, HasCommandsWithDescriptionsAndOptionsWithHelp)
{
    for (command const& one : all_commands()) {
        if (is_hidden(one)) continue;
        EXPECT_EQ(one.run == nullptr, one.description.empty()) << one.name;
        EXPECT_THAT(std::string(one.summary), testing::Not(testing::EndsWith("."))) << one.name;
        if (one.run != nullptr)
            for_each_option(one, [&](option const& of) {
                EXPECT_THAT(std::string(of.help), testing::EndsWith(".")) << one.name << " -" << of.name;
                EXPECT_EQ(of.form == option_form::on, of.value.empty()) << one.name << " -" << of.name;
                EXPECT_EQ(find_option(one, of.name), &of) << "given twice: " << one.name << " -" << of.name;
            });
    }
}

TEST(CommandTable, HasEverydayCommandsFirst)
{
    auto const main = all_commands().first(count_of_main_commands());
    EXPECT_EQ(main.front().name, "init");
    EXPECT_EQ(main.back().name, "destroy");
}

TEST(Help, FitsATerminalOfEightyColumns)
{
    for (command const& one : all_commands()) {
        std::istringstream lines(one.run == nullptr ? help_of_group(one.name) : help_of(one));
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("  iacctl ")) { EXPECT_LE(line.size(), 80U) << line; }
        }
    }
}

TEST(Help, ShowsTheOptionsOfACommandAsTheyAreWritten)
{
    EXPECT_THAT(help({"--help"}), HasSubstr("  apply "));
    EXPECT_THAT(help({"plan", "-help"}), HasSubstr("  -target=ADDRESS "));
    EXPECT_THAT(help({"plan", "-target=a.b", "-h"}), HasSubstr("  -lock=false "));
    EXPECT_THAT(help({"state", "-help"}), HasSubstr("  list "));
    EXPECT_THAT(help({"providers", "-help"}), HasSubstr("  mirror "));
    EXPECT_THAT(help({"-help"}), testing::Not(HasSubstr("__complete")));
}

auto completed(std::string_view line) -> std::vector<std::string>
{
    std::vector<std::string> texts;
    for (auto const& one : complete_line(line, [](completion kind) {
             return kind == completion::workspace ? std::vector<std::string>{"default", "blue"}
                                                  : std::vector<std::string>{"a.b", "a.c[\"x y\"]", "module.m"};
         }))
        texts.push_back(one.text);
    return texts;
}

TEST(Completion, CompletesCommands)
{
    EXPECT_THAT(completed("iacctl des"), ElementsAre("destroy"));
    EXPECT_THAT(completed("iacctl -chdir=x w"), ElementsAre("watch", "why", "workspace"));
    EXPECT_THAT(completed("iacctl state re"), ElementsAre("repair", "replace-provider", "resolve", "restore"));
    EXPECT_THAT(completed("iacctl providers "), ElementsAre("lock", "mirror", "schema"));
    EXPECT_THAT(completed("iacctl __"), ElementsAre());
}

TEST(Completion, CompletesOptionsWithOneDashAndWithTwo)
{
    EXPECT_THAT(completed("iacctl plan -ref"), ElementsAre("-refresh-only", "-refresh="));
    EXPECT_THAT(completed("iacctl plan --out"), ElementsAre("--out="));
    EXPECT_THAT(completed("iacctl -ch"), ElementsAre("-chdir="));
}

TEST(Completion, CompletesValues)
{
    EXPECT_THAT(completed("iacctl plan -target=a."), ElementsAre("-target=a.b", "-target=a.c[\"x y\"]"));
    EXPECT_THAT(completed("iacctl plan -target mod"), ElementsAre("module.m"));
    EXPECT_THAT(completed("iacctl plan -target='a.c[\"x"), ElementsAre("-target=a.c[\"x y\"]"));
    EXPECT_THAT(completed("iacctl state show "), ElementsAre("a.b", "a.c[\"x y\"]", "module.m"));
    EXPECT_THAT(completed("iacctl workspace select b"), ElementsAre("blue"));
    EXPECT_THAT(
        completed("iacctl graph -type=p"), ElementsAre("-type=plan", "-type=plan-refresh-only", "-type=plan-destroy"));
    EXPECT_THAT(completed("iacctl plan -lock=f"), ElementsAre("-lock=false"));
    EXPECT_THAT(completed("iacctl completion z"), ElementsAre("zsh"));
    EXPECT_THAT(completed("iacctl apply "), ElementsAre()) << "the shell completes names of files";
}

}  // namespace
