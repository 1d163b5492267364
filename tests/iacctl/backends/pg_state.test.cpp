// SPDX-License-Identifier: BSL-1.0
// State in the table of Terraform's backend "pg", compared with the real terraform.
#include "postgres_server.hpp"

#include "state/backends/pg.hpp"
#include "state/backends/pg_state.hpp"
#include "state/backends/remote_backend.hpp"
#include "state/document/state_v4.hpp"
#include "state/postgres/connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/wait.h>

namespace iacctl::backends::test {
namespace {

using state::open_mode;
using state::test::codes_of;
using state::test::error_text;
using state::test::read_text;
using state::test::some_object;
using state::test::write_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PgState : public testing::Test {
protected:
    void SetUp() override
    {
        IACCTL_NEEDS_POSTGRES();
        settings.conn_str = postgres_server::instance()->url();
        settings.schema_name = testing::UnitTest::GetInstance()->current_test_info()->name();
    }

    [[nodiscard]] auto client() const -> std::shared_ptr<state_client> { return make_pg_state(settings); }
    [[nodiscard]] auto backend() const -> remote_backend { return {client(), machine.path() / "mirror", {}}; }
    // Adds an object with a separate command.
    void add(remote_backend const& in, std::string const& workspace, std::string const& name) const
    {
        auto const store = in.open(workspace, open_mode::read_write);
        auto now = store->read_now();
        ASSERT_TRUE(now) << error_text(now);
        auto const generation = store->begin_generation("apply");
        ASSERT_TRUE(generation) << error_text(generation);
        std::vector<infra::journal_entry> const entries{
            infra::journal_entry::record(*infra::parse_address("terraform_data." + name), {}, some_object(name))};
        for (auto const& e : entries) ASSERT_TRUE(replay(*now, e));
        ASSERT_TRUE(store->append_now(entries, *now));
        ASSERT_TRUE(store->end_generation("complete"));
    }
    [[nodiscard]] auto sql(std::string const& statement) const -> std::string
    {
        postgres::connection to{postgres::connection_settings(settings.conn_str)};
        auto const rows = to.query(statement);
        return rows.size() == 0 ? std::string() : std::string(rows.text(0, 0));
    }
    [[nodiscard]] static auto has_terraform() -> bool { return std::system("command -v terraform >/dev/null") == 0; }
    // \return the exit code
    auto terraform(std::string const& arguments) const -> int
    {
        write_text(machine.path() / "rc", "");
        std::string const command = "cd " + (machine.path() / "work").string() + " && TF_CLI_CONFIG_FILE="
            + (machine.path() / "rc").string() + " TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1 terraform " + arguments
            + " >" + (machine.path() / "out").string() + " 2>&1 </dev/null";
        int const status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    [[nodiscard]] auto output() const -> std::string { return read_text(machine.path() / "out"); }
    void write_configuration(std::string const& body) const
    {
        std::filesystem::create_directories(machine.path() / "work");
        write_text(machine.path() / "work" / "main.tf",
            "terraform {\n  backend \"pg\" {\n    conn_str = \"" + settings.conn_str + "\"\n    schema_name = \""
                + settings.schema_name + "\"\n  }\n}\n" + body);
    }

    pg_settings settings;
    state::test::temporary_directory machine;
};

TEST_F(PgState, KeepsOneRowPerWorkspace)
{
    auto const in = backend();
    EXPECT_FALSE(in.exists("default").value());
    add(in, "default", "a");
    ASSERT_TRUE(in.make("blue"));
    add(in, "blue", "b");

    EXPECT_THAT(in.workspaces().value(), ElementsAre("default", "blue"));
    EXPECT_EQ(sql("SELECT string_agg(name, ',' ORDER BY id) FROM \"KeepsOneRowPerWorkspace\".states"), "default,blue");
    EXPECT_TRUE(in.remove("blue"));
    EXPECT_THAT(in.workspaces().value(), ElementsAre("default"));
    EXPECT_EQ(state::from_v4(client()->get("default").value().value())->resources.size(), 1U);
}

TEST_F(PgState, CreatesNoObjectsThatAreSkipped)
{
    settings.skip_schema_creation = settings.skip_table_creation = settings.skip_index_creation = true;

    EXPECT_THAT(codes_of(client()->get("default")), ElementsAre("state_database_refused"));
    EXPECT_EQ(sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'CreatesNoObjectsThatAreSkipped'"), "0");
}

TEST_F(PgState, NamesTheHolderOfALockAndReleasesItByForce)
{
    auto const in = backend();
    add(in, "default", "a");
    auto const theirs = client();
    ASSERT_TRUE(theirs->lock("default", lock_info::of_this_process("apply", "x"))->held);

    auto const refused = in.lock("default", {"plan", {}, {}});

    EXPECT_THAT(codes_of(refused), ElementsAre("remote_state_locked"));
    EXPECT_EQ(state::test::exit_code_of(refused.error()), 3);
    EXPECT_THAT(error_text(refused), HasSubstr("strider@localhost"));
    auto const listed = in.locks("default").value();
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_THAT(error_text(refused), HasSubstr("force-unlock " + listed.front().id));
    EXPECT_FALSE(in.force_unlock("default", "1"));
    EXPECT_TRUE(in.force_unlock("default", listed.front().id));
    EXPECT_TRUE(in.lock("default", {"plan", std::chrono::seconds(5), {}}));
    // A command whose lock was released by force can no longer write after another command has locked the state.
    auto const again = in.lock("default", {"plan", {}, {}});
    ASSERT_TRUE(again) << error_text(again);
    EXPECT_FALSE(theirs->put("default", "{}", "x"));
    EXPECT_THAT(client()->get("default").value().value(), HasSubstr("terraform_data"));
}

TEST_F(PgState, LocksWorkspacesApartFromEachOther)
{
    auto const in = backend();
    add(in, "default", "a");
    add(in, "blue", "b");
    auto const held = in.lock("default", {"apply", {}, {}});
    ASSERT_TRUE(held) << error_text(held);

    EXPECT_TRUE(backend().lock("blue", {"apply", {}, {}}));
    EXPECT_THAT(codes_of(backend().lock("default", {"apply", {}, {}})), ElementsAre("remote_state_locked"));
}

TEST_F(PgState, KeepsItsLockAfterALostConnection)
{
    auto const in = client();
    ASSERT_TRUE(in->put("default", "{}", {}));
    ASSERT_TRUE(in->lock("default", lock_info::of_this_process("apply", "x"))->held);
    (void)sql("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");

    EXPECT_TRUE(in->put("default", "{\"version\":4}", {}));

    EXPECT_EQ(client()->get("default").value(), "{\"version\":4}");
    EXPECT_FALSE(client()->lock("default", lock_info::of_this_process("apply", "x"))->held);
}

TEST_F(PgState, ReacquiresTheLocksOfAllWorkspacesAfterALostConnection)
{
    auto const in = client();
    auto const info = lock_info::of_this_process("apply", "x");
    for (char const* const name : {"default", "blue"}) ASSERT_TRUE(in->put(name, "{}", {}));
    for (char const* const name : {"default", "blue"}) ASSERT_TRUE(in->lock(name, info)->held);
    (void)sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'");

    EXPECT_TRUE(in->put("default", "{\"version\":4}", {}));

    EXPECT_FALSE(client()->lock("default", info)->held);
    EXPECT_FALSE(client()->lock("blue", info)->held);
    EXPECT_TRUE(in->unlock("default", info));
    EXPECT_TRUE(client()->lock("default", info)->held);
    EXPECT_FALSE(client()->lock("blue", info)->held);
    EXPECT_TRUE(in->unlock("blue", info));
    EXPECT_TRUE(client()->lock("blue", info)->held);
}

TEST_F(PgState, ReadsButDoesNotWriteIfAnotherProcessHadItsLock)
{
    auto const in = client();
    ASSERT_TRUE(in->put("default", "{}", {}));
    auto const info = lock_info::of_this_process("apply", "x");
    ASSERT_TRUE(in->lock("default", info)->held);
    ASSERT_EQ(in->get("default").value(), "{}");
    (void)sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'");
    {
        auto const theirs = client();
        ASSERT_TRUE(theirs->lock("default", info)->held);
        ASSERT_TRUE(theirs->put("default", "{\"version\":4}", {}));
        ASSERT_TRUE(theirs->unlock("default", info));
    }

    auto const refused = in->put("default", "late", {});

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().why().front().code, "remote_lock_lost");
    EXPECT_EQ(in->get("default").value(), "{\"version\":4}");
    EXPECT_TRUE(in->unlock("default", info));
    EXPECT_TRUE(client()->lock("default", info)->held) << "it keeps no lock";
}

TEST_F(PgState, ShowsNoPassword)
{
    for (std::string const text : {"postgres://ada:geheim@/x?host=/nowhere", "host=/nowhere password=geheim",
             "host=/nowhere password=abc geheim", "postgres://ada:geheim@[x"}) {
        settings.conn_str = text;
        auto const failed = client()->get("default");
        ASSERT_THAT(codes_of(failed), ElementsAre("remote_state_unreachable"));
        EXPECT_THAT(error_text(failed), Not(HasSubstr("geheim"))) << text;
    }
}

TEST_F(PgState, IsChosenByItsArguments)
{
    place const here{.directory = machine.path(), .mirrors = machine.path() / "mirrors"};
    auto const make = [&](std::vector<std::pair<std::string, std::string>> const& given) {
        std::vector<language::value_entry> all;
        for (auto const& argument : pg_arguments().attributes) {
            auto const found = std::ranges::find(given, argument.name, &std::pair<std::string, std::string>::first);
            all.push_back({argument.name,
                found == given.end() ? language::value::null(argument.of) : language::value(found->second)});
        }
        return make_pg(language::value::object(std::move(all)), here);
    };

    auto const interchange = make({{"conn_str", settings.conn_str}, {"schema_name", settings.schema_name}});
    auto const native =
        make({{"conn_str", settings.conn_str}, {"schema_name", settings.schema_name}, {"mode", "native"}});
    ASSERT_TRUE(interchange) << error_text(interchange);
    ASSERT_TRUE(native) << error_text(native);
    EXPECT_FALSE((*interchange)->locks_parts());
    EXPECT_TRUE((*native)->locks_parts());
    EXPECT_TRUE((*native)->make("blue"));
    EXPECT_THAT((*interchange)->workspaces().value(), ElementsAre("default")) << "the tables are not the same";

    EXPECT_THAT(codes_of(make({{"mode", "fast"}})), ElementsAre("backend_argument_invalid"));
    auto const garbled = make({{"conn_str", "host=x password=abc geheim"}});
    EXPECT_THAT(codes_of(garbled), ElementsAre("backend_argument_invalid"));
    EXPECT_THAT(error_text(garbled), Not(HasSubstr("geheim")));
}

TEST_F(PgState, IsReadAndWrittenByTerraform)
{
    if (!has_terraform()) GTEST_SKIP() << "(needs terraform)";
    write_configuration("resource \"terraform_data\" \"theirs\" { input = 1 }\n");
    ASSERT_EQ(terraform("init -input=false"), 0) << output();
    ASSERT_EQ(terraform("apply -auto-approve"), 0) << output();

    auto const in = backend();
    auto const now = in.open("default", open_mode::read_only)->read_now();
    ASSERT_TRUE(now) << error_text(now);
    ASSERT_EQ(now->resources.size(), 1U);
    EXPECT_EQ(to_string(now->resources.begin()->first), "terraform_data.theirs");

    {
        auto const held = in.lock("default", {"apply", {}, {}});
        ASSERT_TRUE(held) << error_text(held);
        EXPECT_NE(terraform("plan"), 0);
        EXPECT_THAT(output(), HasSubstr("already locked"));
        add(in, "default", "ours");
    }
    EXPECT_EQ(terraform("plan -lock=false"), 0) << output();
    ASSERT_EQ(terraform("state list"), 0) << output();
    EXPECT_EQ(output(), "terraform_data.ours\nterraform_data.theirs\n");

    ASSERT_EQ(terraform("workspace new blue"), 0) << output();
    EXPECT_THAT(in.workspaces().value(), ElementsAre("default", "blue"));
}

TEST_F(PgState, IsRejectedWhileTerraformHoldsTheLock)
{
    if (!has_terraform()) GTEST_SKIP() << "(needs terraform)";
    write_configuration(
        "resource \"terraform_data\" \"slow\" {\n  provisioner \"local-exec\" { command = \"touch started; "
        "while [ ! -e go ]; do sleep 0.05; done\" }\n}\n");
    ASSERT_EQ(terraform("init -input=false"), 0) << output();
    ASSERT_EQ(terraform("apply -auto-approve -target=terraform_data.none"), 0) << output();
    auto const work = machine.path() / "work";
    std::jthread const applying([&] { EXPECT_EQ(terraform("apply -auto-approve"), 0) << output(); });
    while (!std::filesystem::exists(work / "started")) std::this_thread::sleep_for(std::chrono::milliseconds(20));

    auto const refused = backend().lock("default", {"plan", {}, {}});

    EXPECT_THAT(codes_of(refused), ElementsAre("remote_state_locked"));
    write_text(work / "go", "");
}

}  // namespace
}  // namespace iacctl::backends::test
