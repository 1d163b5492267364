// SPDX-License-Identifier: BSL-1.0
#include "cli/commands/command_line.hpp"
#include "cli/commands/command_table.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/completion.hpp"
#include "cli/commands/help.hpp"
#include "cli/commands/init_command.hpp"
#include "cli/commands/plan_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <sstream>

namespace {

using namespace iacctl::commands;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

auto parse(std::vector<std::string> arguments) -> parsed_line
{
    auto parsed = parse_command_line(std::move(arguments));
    if (auto* const understood = std::get_if<parsed_line>(&parsed)) return std::move(*understood);
    if (auto const* const refused = std::get_if<command_line_error>(&parsed)) ADD_FAILURE() << refused->why.detail;
    else ADD_FAILURE() << std::get<help_text>(parsed).text;
    return {{}, &version_command, version_command.begin()};
}

auto arguments_of(std::vector<std::string> words) -> std::vector<std::string>
{
    return parse(std::move(words)).parsed->arguments();
}

// The options of a command whose options have this type.
template <class Options>
auto options_in(parsed_line const& line) -> Options
{
    auto const* const typed = dynamic_cast<parsed_options<Options> const*>(line.parsed.get());
    if (typed != nullptr) return typed->values();
    ADD_FAILURE() << line.named->name << " has options of another type";
    return {};
}

auto plan(std::vector<std::string> words) -> plan_options
{
    words.insert(words.begin(), "plan");
    return options_in<plan_options>(parse(std::move(words)));
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
    bool (*holds)(parsed_line const&);
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
    {{"plan", "-input=false"}, [](parsed_line const& l) { return !l.parsed->for_session().input; }},
    {{"plan", "-input"}, [](parsed_line const& l) { return l.parsed->for_session().input; }},
    {{"plan", "-no-color"}, [](parsed_line const& l) { return !l.parsed->for_session().colour; }},
    {{"plan"},
        [](parsed_line const& l) {
            return l.parsed->for_session().colour && l.parsed->for_session().input
                && options_in<plan_options>(l).refresh && l.parsed->for_session().limits.parallelism == 10;
        }},
    {{"apply", "-auto-approve"},
        [](parsed_line const& l) { return options_in<apply_options>(l).auto_approve && l.named == &apply_command; }},
    {{"destroy", "-auto-approve"}, [](parsed_line const& l) { return l.named == &destroy_command; }},
    {{"apply", "-parallelism=3"}, [](parsed_line const& l) { return l.parsed->for_session().limits.parallelism == 3; }},
    {{"apply", "-parallelism", "3"},
        [](parsed_line const& l) { return l.parsed->for_session().limits.parallelism == 3; }},
    {{"plan", "-exclude=a.b", "-exclude", "module.m"},
        [](parsed_line const& l) {
            return options_in<plan_options>(l).excludes == std::vector<std::string>{"a.b", "module.m"};
        }},
    {{"import", "-lock=false", "a.b", "id"},
        [](parsed_line const& l) { return l.parsed->arguments().size() == 2 && !l.parsed->for_session().lock; }},
    {{"taint", "-allow-missing", "a.b"},
        [](parsed_line const& l) { return l.named == &taint_command && l.parsed->arguments().size() == 1; }},
    {{"state", "mv", "-dry-run", "a.b", "a.c"},
        [](parsed_line const& l) { return l.named == &state_mv_command && l.parsed->arguments().size() == 2; }},
    {{"plan", "-destroy"},
        [](parsed_line const& l) { return options_in<plan_options>(l).destroy && l.parsed->for_session().destroys; }},
    {{"plan", "-refresh=false"}, [](parsed_line const& l) { return !options_in<plan_options>(l).refresh; }},
    {{"plan", "-minimal-refresh"},
        [](parsed_line const& l) {
            return options_in<plan_options>(l).refresh && options_in<plan_options>(l).minimal_refresh;
        }},
    {{"plan", "-refresh-only"}, [](parsed_line const& l) { return options_in<plan_options>(l).refresh_only; }},
    {{"plan", "-detailed-exitcode"},
        [](parsed_line const& l) {
            return options_in<plan_options>(l).detailed_exit_code && l.parsed->for_session().detailed_exit_code;
        }},
    {{"plan", "-out=p"}, [](parsed_line const& l) { return options_in<plan_options>(l).out == "p"; }},
    {{"plan", "-out", "p"}, [](parsed_line const& l) { return options_in<plan_options>(l).out == "p"; }},
    {{"plan", "-lock=false"}, [](parsed_line const& l) { return !l.parsed->for_session().lock; }},
    {{"apply", "-lock-timeout=1m30s"},
        [](parsed_line const& l) { return l.parsed->for_session().lock_timeout == 90s; }},
    {{"apply", "-lock-timeout=500ms"},
        [](parsed_line const& l) { return l.parsed->for_session().lock_timeout == 500ms; }},
    {{"plan", "-compact-warnings"}, [](parsed_line const& l) { return l.parsed->for_session().compact_warnings; }},
    {{"show", "-json"},
        [](parsed_line const& l) {
            return l.parsed->for_session().json && l.parsed->for_session().form == json_form::document;
        }},
    {{"validate", "-json"},
        [](parsed_line const& l) {
            return l.parsed->for_session().json && l.parsed->for_session().form == json_form::validation;
        }},
    {{"test", "-json"},
        [](parsed_line const& l) {
            return l.parsed->for_session().json && l.parsed->for_session().form == json_form::stream;
        }},
    {{"show", "-json", "p"},
        [](parsed_line const& l) {
            return l.parsed->for_session().json && l.parsed->arguments() == std::vector<std::string>{"p"};
        }},
    {{"output", "-raw", "name"},
        [](parsed_line const& l) { return l.named == &output_command && l.parsed->arguments().size() == 1; }},
    {{"graph", "-type=plan-destroy", "-plan=p"}, [](parsed_line const& l) { return l.parsed->for_session().destroys; }},
    {{"state", "list"}, [](parsed_line const& l) { return l.named == &state_list_command; }},
    {{"state", "resolve", "a.b", "-not-created"},
        [](parsed_line const& l) { return l.named == &state_resolve_command && l.parsed->arguments().size() == 1; }},
    {{"state", "resolve", "a.b", "-created", "x"},
        [](parsed_line const& l) { return l.named == &state_resolve_command && l.parsed->arguments().size() == 1; }},
    {{"state", "serve", "-listen=[::1]:0", "-directory", "d", "-users=u"},
        [](parsed_line const& l) { return l.named == &state_serve_command; }},
    {{"state", "serve", "-add-user", "ann", "-role", "read"},
        [](parsed_line const& l) { return l.named == &state_serve_command; }},
    {{"-chdir=there", "plan"},
        [](parsed_line const& l) { return l.global.directory == "there" && l.named == &plan_command; }},
    {{"plan", "-target-file=a", "-exclude-file", "b"},
        [](parsed_line const& l) {
            return options_in<plan_options>(l).target_files == std::vector<std::string>{"a"}
            && options_in<plan_options>(l).exclude_files == std::vector<std::string>{"b"};
        }},
    {{"plan", "-policies=a", "-policies", "b", "-approve=x.y"},
        [](parsed_line const& l) {
            return options_in<plan_options>(l).policies == std::vector<std::string>{"a", "b"}
            && options_in<plan_options>(l).approvals == std::vector<std::string>{"x.y"};
        }},
    {{"apply", "-concise", "-show-sensitive", "-json-into=f"},
        [](parsed_line const& l) {
            return options_in<apply_options>(l).concise && l.parsed->for_session().show_sensitive
                && l.parsed->for_session().json_into == "f";
        }},
    {{"show", "-config", "-json"}, [](parsed_line const& l) { return l.parsed->for_session().json; }},
    {{"show", "-module=m", "-json"}, [](parsed_line const& l) { return l.parsed->for_session().json; }},
    {{"show", "-plan=p"}, [](parsed_line const& l) { return l.named == &show_command; }},
    {{"state", "list", "-state=f"}, [](parsed_line const& l) { return !l.parsed->for_session().state_file; }},
    {{"state", "push", "-state=f", "g"},
        [](parsed_line const& l) { return l.parsed->for_session().state_file == "f"; }},
    {{"validate", "-query"}, [](parsed_line const& l) { return l.parsed->for_session().queries; }},
    {{"query"}, [](parsed_line const& l) { return l.parsed->for_session().queries; }},
    {{"explain", "-list", "-json"}, [](parsed_line const& l) { return l.parsed->for_session().json; }},
    {{"init", "-cloud=false"}, [](parsed_line const& l) { return !options_in<init_options>(l).backend; }},
    {{"init", "-upgrade"}, [](parsed_line const& l) { return options_in<init_options>(l).upgrade; }},
};

INSTANTIATE_TEST_SUITE_P(CommandLine, EveryFlag, testing::ValuesIn(flags));

TEST(CommandLine, KeepsTargetsAndReplacementsInTheirOrder)
{
    auto const r = plan({"-target=a.b", "-target", "module.m", "-replace=a.c[0]"});

    EXPECT_THAT(r.targets, ElementsAre("a.b", "module.m"));
    EXPECT_THAT(r.replace, ElementsAre("a.c[0]"));
}

TEST(CommandLine, KeepsVariablesAndFilesInOneOrder)
{
    auto const r = plan({"-var", "a=-b", "-var-file=f.tfvars", "--var=c=[1, 2]", "-var=d=x=y"});

    std::vector<std::string> texts;
    for (auto const& v : r.variables) texts.push_back(v.text);
    EXPECT_THAT(texts, ElementsAre("a=-b", "f.tfvars", "c=[1, 2]", "d=x=y"));
    EXPECT_EQ(r.variables[1].kind, iacctl::language::variable_option::option_kind::file);
}

TEST(CommandLine, AcceptsAPlanFileAfterTheOptions)
{
    EXPECT_THAT(arguments_of({"apply", "-input=false", "plan.bin"}), ElementsAre("plan.bin"));
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
    auto const limits = plan({"-parallelism=4294967295,local_file=4294967295"}).limits;

    EXPECT_EQ(limits.parallelism, 100'000U);
    EXPECT_EQ(limits.of_type.at("local_file"), 100'000U);
}

TEST(CommandLine, AcceptsAnEmptyValue)
{
    EXPECT_THAT(options_in<init_options>(parse({"init", "-backend-config="})).backend_options, ElementsAre(""));
    EXPECT_THAT(options_in<init_options>(parse({"init", "-backend-config", ""})).backend_options, ElementsAre(""));
    EXPECT_THAT(plan({"-var=", "-target=a.b"}).targets, ElementsAre("a.b"));
}

TEST(CommandLine, SuggestsTheNearestCommandAndOption)
{
    EXPECT_THAT(refusal({"aply"}).detail, HasSubstr("\"apply\""));
    EXPECT_THAT(refusal({"state", "lst"}).detail, HasSubstr("\"list\""));
    EXPECT_THAT(refusal({"plan", "-refesh=false"}).detail, HasSubstr("-refresh?"));
}

TEST(CommandLine, AcceptsAnIdThatBeginsWithADash)
{
    EXPECT_THAT(arguments_of({"import", "-lock=false", "a.b", "-5"}), ElementsAre("a.b", "-5"));
    EXPECT_THAT(arguments_of({"import", "a.b", "-id"}), ElementsAre("a.b", "-id"));
    EXPECT_THAT(arguments_of({"state", "show", "--", "-x"}), ElementsAre("-x"));
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

    auto const given = plan({"-lock-timeout=7s"});
    EXPECT_FALSE(given.colour);
    EXPECT_EQ(given.limits.parallelism, 3U) << "the general ones prevail over those of the command, as in Terraform";
    EXPECT_EQ(given.lock_timeout, 7s);
    ASSERT_EQ(given.variables.size(), 1U);
    EXPECT_EQ(given.variables[0].text, "a=b c");
    EXPECT_EQ(refusal({"version"}).code, "unknown_option") << "a general argument that the command does not have";
}

TEST_F(ArgumentsInTheEnvironment, AreNamedByTheWordsOfTheCommand)
{
    ::setenv("TF_CLI_ARGS_state_list", "a.b", 1);
    EXPECT_THAT(arguments_of({"state", "list"}), ElementsAre("a.b"));
    EXPECT_THAT(arguments_of({"state", "show", "a.c"}), ElementsAre("a.c"));
}

TEST_F(ArgumentsInTheEnvironment, AreRejectedWithAnOpenQuote)
{
    ::setenv("TF_CLI_ARGS_plan", "-var 'a=b", 1);
    EXPECT_EQ(refusal({"plan"}).code, "invalid_arguments_in_environment");
}

TEST(OptionList, StoresEachKindOfValue)
{
    bool on = false, off = true, opposite = true;
    std::string text;
    std::vector<std::string> texts;
    std::optional<std::int64_t> number;
    option_list all;
    all.on("on", "", on);
    all.off("off", "", off);
    all.on_for_false("opposite", "", opposite);
    all.with_choice("text", "", "", text, "a b");
    all.with_value("texts", "", "", texts);
    all.with_value("number", "", "", number);
    all.ignored_flag("ignored", "");

    EXPECT_FALSE(all.find("on")->set("true"));
    EXPECT_FALSE(all.find("off")->set("false"));
    EXPECT_FALSE(all.find("opposite")->set("true"));
    EXPECT_FALSE(all.find("text")->set("a"));
    for (std::string const one : {"b", "c"}) EXPECT_FALSE(all.find("texts")->set(one));
    EXPECT_FALSE(all.find("number")->set("12"));

    EXPECT_TRUE(on);
    EXPECT_FALSE(off);
    EXPECT_FALSE(opposite);
    EXPECT_EQ(text, "a");
    EXPECT_THAT(texts, ElementsAre("b", "c"));
    EXPECT_EQ(number, 12);
    EXPECT_EQ(all.find("number")->set("many"), "a number such as 12");
    EXPECT_EQ(all.find("on")->set("perhaps"), "true or false");
    EXPECT_EQ(all.find("ignored")->set("perhaps"), "true or false");
}

TEST(CommandTable, HasCommandsWithDescriptionsAndOptionsWithHelp)
{
    for (command const* const one : all_commands()) {
        if (is_hidden(*one)) continue;
        EXPECT_EQ(one->begin == nullptr, one->description.empty()) << one->name;
        EXPECT_THAT(std::string(one->summary), testing::Not(testing::EndsWith("."))) << one->name;
        if (one->begin == nullptr) continue;
        auto const parsed = one->begin();
        for (option const& of : parsed->options().all()) {
            EXPECT_THAT(std::string(of.help), testing::EndsWith(".")) << one->name << " -" << of.name;
            EXPECT_EQ(of.form == option_form::on, of.value.empty()) << one->name << " -" << of.name;
            EXPECT_EQ(parsed->options().find(of.name), &of) << "given twice: " << one->name << " -" << of.name;
        }
    }
}

TEST(CommandTable, HasEverydayCommandsFirst)
{
    auto const main = all_commands().first(count_of_main_commands());
    EXPECT_EQ(main.front()->name, "init");
    EXPECT_EQ(main.back()->name, "destroy");
}

TEST(Help, FitsATerminalOfEightyColumns)
{
    for (command const* const one : all_commands()) {
        std::istringstream lines(one->begin == nullptr ? help_of_group(one->name) : help_of(*one));
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
