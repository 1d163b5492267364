// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_BACKENDS_PG_NATIVE_HPP
#define IACCTL_TESTS_BACKENDS_PG_NATIVE_HPP

#include "base/expected.hpp"
#include "postgres_server.hpp"

#include "state/backends/pg_native_backend.hpp"
#include "state/backends/pg_native_store.hpp"
#include "state/encryption/target.hpp"
#include "state/postgres/connection.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::backends::test {

/// States in native tables. Each test has its own schema.
class PgNative : public testing::Test {
protected:
    void SetUp() override
    {
        IACCTL_NEEDS_POSTGRES();
        settings.conn_str = postgres_server::instance()->url();
        settings.schema_name = testing::UnitTest::GetInstance()->current_test_info()->name();
    }

    // A backend with its own connection, like one of another process.
    [[nodiscard]] auto backend() const -> pg_native_backend { return {settings, machine.path(), sealed_with}; }
    [[nodiscard]] auto try_read() const -> expected<infra::snapshot>
    {
        return backend().open("default", state::open_mode::read_only)->read_now();
    }
    [[nodiscard]] auto now() const -> infra::snapshot
    {
        auto const read = try_read();
        EXPECT_TRUE(read) << state::test::error_text(read);
        return read ? *read : infra::snapshot();
    }
    [[nodiscard]] auto names() const -> std::vector<std::string>
    {
        std::vector<std::string> all;
        for (auto const& [target, _] : now().resources) all.push_back(to_string(target));
        return all;
    }
    auto sql(std::string const& statement) const -> std::string
    {
        postgres::connection to{postgres::connection_settings(settings.conn_str)};
        to.execute("SET search_path = \"" + settings.schema_name + "\"");
        auto const rows = to.query(statement);
        return rows.size() == 0 ? std::string() : std::string(rows.text(0, 0));
    }
    // Creates an object by two appends. \return the state after them
    static auto create(state::store& store, infra::snapshot s, std::string const& name) -> infra::snapshot
    {
        auto const p = state::test::some_operation("create-" + name, infra::operation_kind::create, instance(name));
        for (auto const& e :
            {infra::journal_entry::begin(p), infra::journal_entry::end(p, state::test::some_object(name), false)}) {
            EXPECT_TRUE(replay(s, e));
            EXPECT_EQ(state::test::error_text(store.append_now(std::vector{e}, s)), "");
        }
        s.lineage = store.lineage();
        return s;
    }
    [[nodiscard]] static auto read(state::store& store) -> infra::snapshot
    {
        auto read = store.read_now();
        EXPECT_TRUE(read) << state::test::error_text(read);
        return read ? std::move(*read) : infra::snapshot();
    }
    void create_alone(std::string const& name) const
    {
        auto const in = backend();
        auto const store = in.open("default", state::open_mode::read_write);
        auto s = read(*store);
        ASSERT_TRUE(store->begin_generation("apply"));
        (void)create(*store, std::move(s), name);
        ASSERT_TRUE(store->end_generation("complete"));
    }

    pg_settings settings;
    std::shared_ptr<encryption::target const> sealed_with;
    state::test::temporary_directory machine;
};

}  // namespace iacctl::backends::test

#endif  // IACCTL_TESTS_BACKENDS_PG_NATIVE_HPP
