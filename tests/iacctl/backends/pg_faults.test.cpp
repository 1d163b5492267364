// SPDX-License-Identifier: BSL-1.0
// State in tables of PostgreSQL under faults: connections that end before and after a commit, histories of several operators.
#include "postgres_server.hpp"

#include <backends/pg_native_backend.hpp>
#include <backends/pg_native_store.hpp>
#include <encryption/key_provider.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/socket.h>

namespace iacctl::backends::test {
namespace {

using state::open_mode;
using state::state_parts;
using state::test::some_object;
using state::test::told;

/// A relay on a Unix socket before a server. Of the connections that append, it ends some: before the statement reaches the
/// server, or after the server has answered it.
class faulty_relay {
    using socket = boost::asio::local::stream_protocol::socket;

public:
    enum class fault { none, before_commit, after_commit };

    /// \param decide  is asked for each append
    faulty_relay(std::string server_directory, std::string directory, std::function<fault()> decide)
        : server_(std::move(server_directory) + "/.s.PGSQL.5432"),
          decide_(std::move(decide)),
          acceptor_(context_, boost::asio::local::stream_protocol::endpoint(directory + "/.s.PGSQL.5432"))
    {
        accepting_ = std::jthread([this](std::stop_token const& stop) { accept(stop); });
    }
    ~faulty_relay()
    {
        accepting_.request_stop();
        ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
        accepting_.join();
        for (auto& one : relaying_) one.join();
    }

private:
    void accept(std::stop_token const& stop)
    {
        while (!stop.stop_requested()) {
            boost::system::error_code failed;
            socket client(context_);
            acceptor_.accept(client, failed);
            if (failed) return;
            relaying_.emplace_back([this, client = std::move(client)]() mutable { relay(client); });
        }
    }
    void relay(socket& client)
    {
        socket server(context_);
        boost::system::error_code failed;
        server.connect(boost::asio::local::stream_protocol::endpoint(server_), failed);
        std::atomic<fault> pending = fault::none;
        auto const end = [&] {
            ::shutdown(client.native_handle(), SHUT_RDWR);
            ::shutdown(server.native_handle(), SHUT_RDWR);
        };
        std::thread back([&] {
            std::array<char, 16384> buffer{};
            boost::system::error_code broken;
            for (;;) {
                auto const n = server.read_some(boost::asio::buffer(buffer), broken);
                // The answer to the append: it is committed.
                if (broken || pending == fault::after_commit) break;
                boost::asio::write(client, boost::asio::buffer(buffer.data(), n), broken);
            }
            end();
        });
        std::array<char, 16384> buffer{};
        while (!failed) {
            auto const n = client.read_some(boost::asio::buffer(buffer), failed);
            if (failed) break;
            if (std::string_view(buffer.data(), n).find("WITH s AS (UPDATE") != std::string_view::npos) {
                fault const chosen = decide_();
                if (chosen == fault::before_commit) break;
                pending = chosen;
            }
            boost::asio::write(server, boost::asio::buffer(buffer.data(), n), failed);
        }
        end();
        back.join();
    }

    std::string server_;
    std::function<fault()> decide_;
    boost::asio::io_context context_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    std::vector<std::jthread> relaying_;
    std::jthread accepting_;
};

class PgFaults : public testing::Test {
protected:
    void SetUp() override
    {
        IACCTL_NEEDS_POSTGRES();
        settings.conn_str = postgres_server::instance()->url();
        settings.schema_name = testing::UnitTest::GetInstance()->current_test_info()->name();
    }
    // The number of repetitions: as many as the environment wishes.
    [[nodiscard]] static auto repetitions(char const* variable, int usual) -> int
    {
        char const* const wanted = std::getenv(variable);
        return wanted == nullptr ? usual : std::atoi(wanted);
    }

    [[nodiscard]] auto key() const -> std::shared_ptr<encryption::target const>
    {
        state::test::write_text(machine.path() / "key", std::string(64, '1'));
        return std::make_shared<encryption::target const>("state",
            std::vector<encryption::method>{
                {"method.aes_gcm.a", encryption::make_key_file("key_provider.file.a", machine.path() / "key"), {}}});
    }

    pg_settings settings;
    state::test::temporary_directory machine;
};

TEST_F(PgFaults, AppendsExactlyOnceWhereConnectionsEndBeforeAndAfterTheCommit)
{
    int const appends = repetitions("IACCTL_PG_APPENDS", 40);
    std::random_device device;
    auto const seed = device();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    int before = 0;
    int after = 0;
    auto const decide = [&] {
        switch (random() % 5) {
        case 0: ++before; return faulty_relay::fault::before_commit;
        case 1: ++after; return faulty_relay::fault::after_commit;
        default: return faulty_relay::fault::none;
        }
    };
    faulty_relay const relay(postgres_server::instance()->directory(), machine.path().string(), decide);
    auto faulty = settings;
    faulty.conn_str = "postgres://strider@/postgres?host=" + machine.path().string() + "&sslmode=disable";
    for (auto const& sealed_with : {std::shared_ptr<encryption::target const>(), key()}) {
        std::string const workspace = sealed_with ? "sealed" : "plain";
        pg_native_backend const in(faulty, machine.path(), sealed_with);
        auto const held = in.lock(workspace, request({"terraform_data.a"}));
        ASSERT_TRUE(held) << told(held);
        auto const store = in.open(workspace, open_mode::read_write);
        auto s = store->read_now().value();

        for (int i = 0; i < appends; ++i) {
            auto const e = infra::journal_entry::record(instance("a"), {}, some_object(std::to_string(i)));
            ASSERT_TRUE(replay(s, e));
            ASSERT_FALSE(store->append_now(std::vector{e}, s)) << told(store->last_failure().value());
        }

        auto const reader =
            pg_native_backend(settings, machine.path(), sealed_with).open(workspace, open_mode::read_only);
        auto const there = reader->read_now();
        ASSERT_TRUE(there) << told(there);
        s.lineage = store->lineage();
        EXPECT_EQ(*there, s);
        EXPECT_EQ(reader->entries_after(0).value().size(), static_cast<std::size_t>(appends));
    }
    EXPECT_GT(before, 0);
    EXPECT_GT(after, 0);
}

/// Operators that change a workspace at the same time as commands do: read state, decide, lock parts, compare versions, write,
/// and remove what is old of the history.
class history {
public:
    history(pg_settings const& settings, std::filesystem::path directory,
        std::shared_ptr<encryption::target const> sealed_with, std::string workspace, std::uint32_t seed)
        : settings_(&settings),
          directory_(std::move(directory)),
          sealed_with_(std::move(sealed_with)),
          workspace_(std::move(workspace)),
          seed_(seed)
    {}

    // \return the failure of an operator; empty: there is none
    auto run(unsigned operators, int commands_each) -> std::string
    {
        std::vector<std::string> failures(operators);
        {
            std::vector<std::jthread> all;
            for (unsigned i = 0; i < operators; ++i)
                all.emplace_back([&, i] {
                    std::mt19937 random(seed_ * 31 + i);
                    for (int n = 0; n < commands_each && failures[i].empty(); ++n) failures[i] = command(random, i, n);
                });
        }
        for (std::string const& f : failures)
            if (!f.empty()) return f;
        return {};
    }
    // The state that the commands leave if they run one after the other, in the order in which they had their locks.
    [[nodiscard]] auto serial_result() const -> std::map<std::string, std::string>
    {
        std::map<std::string, std::string> values;
        for (auto const& done : done_) {
            std::string const value = outcome(done.id, done.parts, values);
            for (std::string const& part : done.parts.written) values[part] = value;
        }
        return values;
    }
    [[nodiscard]] auto refused() const -> int { return refused_; }

    [[nodiscard]] static auto values_of(infra::snapshot const& s) -> std::map<std::string, std::string>
    {
        std::map<std::string, std::string> values;
        for (auto const& [target, record] : s.resources) values[to_string(target)] = record.current->attributes.text();
        return values;
    }

private:
    struct done_command {
        std::string id;
        state_parts parts;
    };

    // A command's result depends on everything that it reads or replaces.
    static auto outcome(std::string const& id, state_parts const& parts,
        std::map<std::string, std::string> const& values) -> std::string
    {
        std::size_t mixed = std::hash<std::string>()(id);
        for (auto const* const some : {&parts.written, &parts.read})
            for (std::string const& part : *some) {
                auto const found = values.find(part);
                mixed = mixed * 1000003 + std::hash<std::string>()(found == values.end() ? "" : found->second);
            }
        return "{\"id\":\"" + id + "\",\"of\":" + std::to_string(mixed >> 12) + "}";
    }
    static auto choose(std::mt19937& random) -> state_parts
    {
        state_parts parts;
        for (char const* name : {"a", "b", "c", "d", "e", "f"}) switch (random() % 4) {
            case 0: parts.written.push_back(std::string("terraform_data.") + name); break;
            case 1: parts.read.push_back(std::string("terraform_data.") + name); break;
            default: break;
            }
        return parts;
    }

    auto command(std::mt19937& random, unsigned by, int number) -> std::string
    {
        state_parts const parts = choose(random);
        std::string const id = std::to_string(by) + "." + std::to_string(number);
        pg_native_backend const in(*settings_, directory_, sealed_with_);
        for (;;) {
            auto const held = in.lock(workspace_, request({}));
            if (!held) return told(held);
            auto const store = in.open(workspace_, open_mode::read_write);
            static_cast<pg_native_store&>(*store).set_keep_rule({5, -1000});
            auto now = store->read_now();
            if (!now) return told(now);
            auto const planned = *store->versions();
            std::string const value = outcome(id, parts, values_of(*now));

            auto asked = request(parts.written, parts.read);
            asked.timeout = std::chrono::milliseconds(random() % 200);
            if (auto const refused = (*held)->exchange(asked)) {
                if (refused->why().front().code != "parts_locked") return told(*refused);
                ++refused_;
                continue;
            }
            auto names = parts.written;
            names.insert(names.end(), parts.read.begin(), parts.read.end());
            auto const current = store->current_versions(names);
            if (!current) return told(current);
            auto const version = [](state::part_versions const& all, std::string const& part) {
                auto const found = all.find(part);
                return found == all.end() ? std::int64_t{0} : found->second;
            };
            if (std::ranges::any_of(
                    names, [&](auto const& p) { return version(planned, p) != version(*current, p); })) {
                ++refused_;
                continue;
            }
            if (!store->begin_generation("apply")) return "no generation";
            for (std::string const& part : parts.written) {
                infra::object o = some_object("x");
                o.attributes = infra::document(value);
                auto const e = infra::journal_entry::record(*infra::parse_address(part), {}, std::move(o));
                if (!replay(*now, e) || store->append_now(std::vector{e}, *now)) return told(*store->last_failure());
            }
            if (auto const unfinished = store->end_generation("complete")) return told(*unfinished);
            std::lock_guard const guard(mutex_);  // before the locks are released
            done_.push_back({id, parts});
            return {};
        }
    }

    pg_settings const* settings_;
    std::filesystem::path directory_;
    std::shared_ptr<encryption::target const> sealed_with_;
    std::string workspace_;
    std::uint32_t seed_;
    std::mutex mutex_;
    std::vector<done_command> done_;
    std::atomic<int> refused_ = 0;
};

TEST_F(PgFaults, LetsOperatorsWorkAsIfOneAfterTheOther)
{
    int const histories = repetitions("IACCTL_PG_HISTORIES", 8);
    std::random_device device;
    auto const seed = device();
    SCOPED_TRACE("seed " + std::to_string(seed));
    int refused = 0;
    for (int i = 0; i < histories; ++i) {
        std::string const workspace = "h" + std::to_string(i);
        auto const sealed_with = i % 2 == 0 ? std::shared_ptr<encryption::target const>() : key();
        history all(settings, machine.path(), sealed_with, workspace, seed + static_cast<unsigned>(i));
        ASSERT_EQ(all.run(3, 4), "");
        auto const store =
            pg_native_backend(settings, machine.path(), sealed_with).open(workspace, open_mode::read_only);
        auto const there = store->read_now();
        ASSERT_TRUE(there) << told(there);
        EXPECT_LT(store->generations().value().size(), 12U) << "nothing was pruned";
        auto const verified = store->verify();
        ASSERT_TRUE(verified) << told(verified);
        ASSERT_TRUE(verified->passed()) << told(infra::failure(verified->problems)) << "history " << i;
        ASSERT_EQ(history::values_of(*there), all.serial_result()) << "history " << i;
        refused += all.refused();
    }
    EXPECT_GT(refused, 0) << "the commands did not overlap";
    RecordProperty("refused", refused);
}

}  // namespace
}  // namespace iacctl::backends::test
