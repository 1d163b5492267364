// SPDX-License-Identifier: BSL-1.0
#include "server/connection_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace iacctl::server::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ConnectionTable : public testing::Test {
protected:
    void add(std::string const& name, std::string const& peer, bool is_admitted = false)
    {
        auto const made = table.add(peer);
        made->is_admitted = is_admitted;
        known.emplace_back(name, made);
    }
    [[nodiscard]] auto closed() const -> std::vector<std::string>
    {
        std::vector<std::string> made;
        for (auto const& [name, one] : known)
            if (one->is_closing) made.push_back(name);
        return made;
    }

    connection_table table{3};
    std::vector<std::pair<std::string, connection_table::position>> known;
};

TEST_F(ConnectionTable, ClosesNothingBelowTheLimit)
{
    for (char const* const name : {"a", "b", "c"}) add(name, "192.0.2.1");

    EXPECT_THAT(closed(), IsEmpty());
}

TEST_F(ConnectionTable, ClosesTheOneThatHasWaitedLongest)
{
    for (char const* const name : {"a", "b", "c"}) add(name, "192.0.2.1");
    table.touch(known[0].second);

    add("d", "192.0.2.1");
    add("e", "192.0.2.1");

    EXPECT_THAT(closed(), ElementsAre("b", "c"));
}

TEST_F(ConnectionTable, ClosesOneOfTheNetworkThatHasMost)
{
    add("a", "192.0.2.1");
    add("b", "2001:db8::1");
    add("c", "2001:db8::2");

    add("d", "192.0.2.2");

    EXPECT_THAT(closed(), ElementsAre("b"));
}

TEST_F(ConnectionTable, KeepsThoseWithAnAcceptedRequest)
{
    add("a", "192.0.2.1", true);
    add("b", "192.0.2.1", true);
    add("c", "192.0.2.2");

    add("d", "192.0.2.3");

    EXPECT_THAT(closed(), ElementsAre("c"));
}

TEST_F(ConnectionTable, ClosesOneWithAnAcceptedRequestIfThereIsNoOther)
{
    for (char const* const name : {"a", "b", "c"}) add(name, "192.0.2.1", true);

    add("d", "192.0.2.3");

    EXPECT_THAT(closed(), ElementsAre("a"));
}

}  // namespace
}  // namespace iacctl::server::test
