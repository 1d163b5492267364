// SPDX-License-Identifier: BSL-1.0
#include "base/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <string>
#include <vector>

namespace iacctl {
namespace {

using ::testing::Contains;
using ::testing::Not;

/// Sets variables of the environment for the time of a test.
class ProcessEnvironment : public ::testing::Test {
protected:
    ~ProcessEnvironment() override
    {
        for (auto const& name : set_) ::unsetenv(name.c_str());
    }
    void set(std::string const& name, std::string const& value)
    {
        ::setenv(name.c_str(), value.c_str(), 1);
        set_.push_back(name);
    }

private:
    std::vector<std::string> set_;
};

constexpr char const* secrets[][2] = {{"TF_ENCRYPTION", "{}"}, {"TF_TOKEN_registry_example_com", "x"},
    {"TF_HTTP_PASSWORD", "x"}, {"TF_HTTP_CLIENT_PRIVATE_KEY_PEM", "x"}, {"PG_CONN_STR", "postgres://u:x@h/db"},
    {"IACCTL_WORKER_CREDENTIAL", "x"}, {"TF_CLI_ARGS", "-var 'password=x'"}, {"TF_CLI_ARGS_plan", "-var=password=x"},
    {"TF_CLI_ARGS_init", "-backend-config=password=x"}};

TEST_F(ProcessEnvironment, LacksTheSecretsOfThisProgram)
{
    for (auto const& [name, value] : secrets) set(name, value);

    auto const inherited = environment_of({});

    for (auto const& [name, value] : secrets) EXPECT_THAT(inherited, Not(Contains(std::string(name) + "=" + value)));
}

TEST_F(ProcessEnvironment, HasThemOnRequest)
{
    for (auto const& [name, value] : secrets) set(name, value);
    set("IACCTL_PASS_SENSITIVE", "1");

    auto const inherited = environment_of({});

    for (auto const& [name, value] : secrets) EXPECT_THAT(inherited, Contains(std::string(name) + "=" + value));
}

TEST_F(ProcessEnvironment, HasTheSecretsOfOtherPrograms)
{
    for (auto const* const name : {"AWS_SECRET_ACCESS_KEY", "ARM_CLIENT_SECRET", "GOOGLE_CREDENTIALS", "PGPASSWORD",
             "TF_HTTP_USERNAME", "TF_LOG_PATH"}) {
        set(name, "x");
        EXPECT_THAT(environment_of({}), Contains(std::string(name) + "=x"));
    }
    set("TF_CLI_ARGS", "-no-color");
    EXPECT_THAT(environment_of({}), Contains("TF_CLI_ARGS=-no-color"));
}

TEST_F(ProcessEnvironment, HasAddedVariablesOfAnyName)
{
    set("TF_HTTP_PASSWORD", "x");
    process_command given;
    given.added = {{"TF_HTTP_PASSWORD", "y"}};

    EXPECT_THAT(environment_of(given), Contains("TF_HTTP_PASSWORD=y"));
}

}  // namespace
}  // namespace iacctl
