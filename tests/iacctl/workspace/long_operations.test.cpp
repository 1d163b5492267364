// SPDX-License-Identifier: BSL-1.0
#include "workspace/long_operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace iacctl::workspace {

namespace {

using namespace std::chrono_literals;
using infra::event_kind;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto a_while = 2ms;

class LongOperations : public testing::Test {
protected:
    void notify(event_kind kind, std::string const& name, language::value const* object = nullptr)
    {
        infra::event<language::value> e;
        e.kind = kind;
        e.target = infra::address({}, infra::resource_mode::managed, "terraform_data", name, {});
        e.object = object;
        observer(e);
    }
    // Waits until that many lines were reported, however long a loaded machine takes.
    void wait_for(std::size_t lines)
    {
        while (reports.size() < lines) context.run_one_for(10s);
    }

    boost::asio::io_context context{1};
    std::vector<std::string> reports;
    std::vector<std::chrono::nanoseconds> elapsed;
    long_operations lasting{context,
        [this](infra::event<language::value> const& e) {
            if (e.kind != event_kind::operation_running) return;
            bool const named = e.object != nullptr && e.object->find("id") != nullptr;
            reports.push_back(e.target.name() + (named ? " " + e.object->find("id")->as_string() : std::string()));
            elapsed.push_back(e.elapsed);
        },
        a_while};
    infra::observer<language::value> observer = lasting.observer();
};

TEST_F(LongOperations, AreReportedRepeatedlyWithTheElapsedTime)
{
    notify(event_kind::operation_started, "a");

    wait_for(3);

    EXPECT_THAT(reports, ElementsAre("a", "a", "a"));
    EXPECT_THAT(elapsed, ElementsAre(a_while, 2 * a_while, 3 * a_while));
}

TEST_F(LongOperations, AreReportedWithTheirPriorObject)
{
    {
        auto const object = language::value::object({{"id", language::value("x1")}});
        notify(event_kind::operation_started, "a", &object);
    }

    wait_for(1);

    EXPECT_THAT(reports, ElementsAre("a x1"));
}

TEST_F(LongOperations, AreRemovedWhenTheyEndOrFail)
{
    notify(event_kind::operation_started, "a");
    notify(event_kind::operation_started, "b");
    notify(event_kind::operation_started, "c");

    notify(event_kind::operation_done, "a");
    notify(event_kind::operation_failed, "b");
    wait_for(2);

    EXPECT_THAT(reports, ElementsAre("c", "c"));
}

TEST_F(LongOperations, StopTheTimerAndRestartItForLaterOperations)
{
    notify(event_kind::operation_started, "a");
    notify(event_kind::operation_done, "a");
    context.run();  // returns, because nothing is waited for
    ASSERT_THAT(reports, IsEmpty());

    context.restart();
    notify(event_kind::operation_started, "b");
    wait_for(1);

    EXPECT_THAT(reports, Contains("b"));
}

TEST(UnobservedLongOperations, AreNotReported)
{
    boost::asio::io_context context(1);
    long_operations lasting(context, {});

    EXPECT_FALSE(lasting.observer());
}

}  // namespace

}  // namespace iacctl::workspace
