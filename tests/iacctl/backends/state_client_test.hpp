// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_BACKENDS_STATE_CLIENT_TEST_HPP
#define IACCTL_TESTS_BACKENDS_STATE_CLIENT_TEST_HPP

#include "iacctl/state/support.hpp"
#include "state/backends/state_client.hpp"

#include <gtest/gtest.h>

#include <string>

namespace iacctl::backends::test {

/// The fixture of the tests of clients of servers: the locks of two processes, results as texts, and rules for all clients.
class state_client_test : public testing::Test {
protected:
    /// The code of an error; empty: there is none.
    static auto code_of(expected<void> const& result) -> std::string
    {
        return result ? std::string() : result.error().why().front().code;
    }
    /// A document, "none", or the text of an error.
    static auto get(state_client& from, std::string const& workspace = "default") -> std::string
    {
        auto const got = from.get(workspace);
        return !got ? state::test::error_text(got) : got->value_or("none");
    }

    /// A document is only replaced by a client that has read or written it last.
    static void expect_writes_of_known_documents(state_client& client, state_client& late)
    {
        EXPECT_EQ(get(client), "none");
        EXPECT_EQ(get(late), "none");
        EXPECT_EQ(code_of(client.put("default", "one", "")), "");
        EXPECT_EQ(code_of(late.put("default", "late", "")), "remote_state_conflict")
            << "it has read that there is none";
        EXPECT_EQ(get(late), "one");
        EXPECT_EQ(code_of(client.put("default", "two", "")), "");
        EXPECT_EQ(code_of(late.put("default", "late", "")), "remote_state_conflict");
        EXPECT_EQ(code_of(late.put("default", "late", "")), "remote_state_conflict") << "the refusal is not a read";
        EXPECT_EQ(get(client), "two");
        EXPECT_EQ(get(late), "two");
        EXPECT_EQ(code_of(late.put("default", "three", "")), "");
        EXPECT_EQ(code_of(client.put("default", "four", "")), "remote_state_conflict");
        EXPECT_EQ(get(late), "three");
    }

    /// One client has the lock, and only it can release it. A second release does nothing.
    void expect_exclusive_lock(state_client& client, state_client& second) const
    {
        auto const first = client.lock("default", info);
        ASSERT_TRUE(first) << state::test::error_text(first);
        EXPECT_TRUE(first->held);
        auto const attempt = second.lock("default", other);
        ASSERT_TRUE(attempt) << state::test::error_text(attempt);
        EXPECT_FALSE(attempt->held);
        ASSERT_TRUE(attempt->holder);
        EXPECT_TRUE(attempt->holder->has_id(info.id));
        ASSERT_TRUE(second.holder("default"));
        EXPECT_TRUE(second.holder("default")->has_id(info.id));
        EXPECT_EQ(code_of(second.unlock("default", other)), "lock_id_differs");
        EXPECT_EQ(code_of(client.unlock("default", info)), "");
        EXPECT_EQ(code_of(client.unlock("default", info)), "");
        auto const last = second.lock("default", other);
        ASSERT_TRUE(last) << state::test::error_text(last);
        EXPECT_TRUE(last->held);
    }

    lock_info const info = lock_info::of_this_process("apply", "x");
    lock_info const other = lock_info::of_this_process("plan", "y");
};

}  // namespace iacctl::backends::test

#endif  // IACCTL_TESTS_BACKENDS_STATE_CLIENT_TEST_HPP
