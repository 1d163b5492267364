// SPDX-License-Identifier: BSL-1.0
// State in PostgreSQL tables under faults: connections that end before and after a commit, and histories of several
// operators.
#include "../state/operators.hpp"
#include "postgres_server.hpp"

#include "state/backends/pg_native_backend.hpp"
#include "state/backends/pg_native_store.hpp"
#include "state/encryption/key_provider.hpp"

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
using state::test::error_text;
using state::test::some_object;

/// A relay on a Unix socket in front of a server. It closes some of the connections that append, before the statement
/// reaches the server or after the server has answered it.
class faulty_relay {
    using socket = boost::asio::local::stream_protocol::socket;

public:
    enum class fault { none, before_commit, after_commit };

    /// \param decide  called for each append
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
                // This is the answer to the append, so the append is committed.
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
    // The number of repetitions, from the environment variable or the usual one.
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

TEST_F(PgFaults, AppendsExactlyOnceIfConnectionsEndBeforeOrAfterTheCommit)
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
        ASSERT_TRUE(held) << error_text(held);
        auto const store = in.open(workspace, open_mode::read_write);
        auto s = store->read_now().value();

        for (int i = 0; i < appends; ++i) {
            auto const e = infra::journal_entry::record(instance("a"), {}, some_object(std::to_string(i)));
            ASSERT_TRUE(replay(s, e));
            ASSERT_EQ(error_text(store->append_now(std::vector{e}, s)), "");
        }

        auto const reader =
            pg_native_backend(settings, machine.path(), sealed_with).open(workspace, open_mode::read_only);
        auto const there = reader->read_now();
        ASSERT_TRUE(there) << error_text(there);
        s.lineage = store->lineage();
        EXPECT_EQ(*there, s);
        EXPECT_EQ(reader->entries_after(0).value().size(), static_cast<std::size_t>(appends));
    }
    EXPECT_GT(before, 0);
    EXPECT_GT(after, 0);
}

TEST_F(PgFaults, SerializesOperators)
{
    int const histories = repetitions("IACCTL_PG_HISTORIES", 8);
    std::random_device device;
    auto const seed = device();
    SCOPED_TRACE("seed " + std::to_string(seed));
    int refused = 0;
    for (int i = 0; i < histories; ++i) {
        std::string const workspace = "h" + std::to_string(i);
        auto const sealed_with = i % 2 == 0 ? std::shared_ptr<encryption::target const>() : key();
        state::test::operators all(
            [&] { return std::make_unique<pg_native_backend>(settings, machine.path(), sealed_with); },
            [](state::store& store) { static_cast<pg_native_store&>(store).set_retention_policy({5, -1000}); },
            workspace, seed + static_cast<unsigned>(i));
        ASSERT_EQ(all.run(3, 4), "");
        auto const store =
            pg_native_backend(settings, machine.path(), sealed_with).open(workspace, open_mode::read_only);
        auto const there = store->read_now();
        ASSERT_TRUE(there) << error_text(there);
        EXPECT_LT(store->generations().value().size(), 12U) << "nothing was pruned";
        auto const verified = store->verify();
        ASSERT_TRUE(verified) << error_text(verified);
        ASSERT_TRUE(verified->passed()) << error_text(infra::failure(verified->problems)) << "history " << i;
        ASSERT_EQ(state::test::operators::values_of(*there), all.serial_result()) << "history " << i;
        refused += all.refused();
    }
    EXPECT_GT(refused, 0) << "the commands did not overlap";
    RecordProperty("refused", refused);
}

}  // namespace
}  // namespace iacctl::backends::test
