// SPDX-License-Identifier: BSL-1.0
#include "state/check_merge.hpp"

#include "support.hpp"

#include "state/record/local_backend.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace iacctl::state::test {
namespace {

auto declaration(std::string const& name, std::string const& status, std::string const& objects = "null") -> std::string
{
    return R"({"config_addr":"check.)" + name + R"(","object_kind":"check","objects":)" + objects + R"(,"status":")"
        + status + "\"}";
}

auto object(std::string const& name, std::string const& status) -> std::string
{
    return R"({"object_addr":"check.)" + name + R"(","status":")" + status + "\"}";
}

auto results(std::vector<std::string> const& declarations) -> infra::document
{
    std::string text;
    for (std::string const& one : declarations) text += (text.empty() ? "[" : ",") + one;
    return infra::document(text + "]");
}

TEST(CheckMerge, NewResultsReplaceThoseThatWereRead)
{
    auto const read = results({declaration("a", "pass")});
    auto const own = results({declaration("a", "fail"), declaration("b", "pass")});
    EXPECT_EQ(merge_checks(read, own, read), own);
    EXPECT_EQ(merge_checks({}, own, {}), own);
    EXPECT_EQ(merge_checks(read, {}, read), infra::document());
}

TEST(CheckMerge, ResultsThatAnotherCommandSavedMeanwhileRemain)
{
    auto const read = results({declaration("a", "pass"), declaration("b", "pass")});
    auto const saved = results({declaration("a", "pass"), declaration("b", "fail"), declaration("new", "pass")});
    for (std::string const mine : {"pass", "unknown"}) {
        auto const own = results({declaration("a", "error"), declaration("b", mine)});
        EXPECT_EQ(merge_checks(read, own, saved),
            results({declaration("a", "error"), declaration("b", "fail"), declaration("new", "pass")}));
    }
}

TEST(CheckMerge, ADeclarationThatIsRemovedStaysRemoved)
{
    auto const read = results({declaration("a", "pass"), declaration("b", "pass")});
    auto const saved = results({declaration("a", "fail"), declaration("b", "pass")});
    EXPECT_EQ(merge_checks(read, results({declaration("a", "pass")}), saved), results({declaration("a", "fail")}));
}

TEST(CheckMerge, InstancesOfADeclarationAreMerged)
{
    auto const instances = [](std::string const& first, std::string const& second, std::string const& worst) {
        return results({declaration("a", worst, "[" + object("a[0]", first) + "," + object("a[1]", second) + "]")});
    };
    EXPECT_EQ(merge_checks(instances("pass", "pass", "pass"), instances("fail", "unknown", "fail"),
                  instances("pass", "error", "error")),
        instances("fail", "error", "error"));
    EXPECT_EQ(merge_checks(instances("pass", "pass", "pass"), results({declaration("a", "unknown")}),
                  instances("pass", "fail", "fail")),
        instances("pass", "fail", "fail"));
}

TEST(CheckMerge, ADocumentOfAnotherFormIsReplaced)
{
    auto const own = results({declaration("a", "pass")});
    for (char const* text : {"{}", "[1]", "not JSON", R"([{"status":"pass"}])"}) {
        EXPECT_EQ(merge_checks({}, own, infra::document(text)), own) << text;
        EXPECT_EQ(merge_checks(infra::document(text), own, results({declaration("a", "fail")})), own) << text;
    }
}

TEST(CheckMerge, TwoCommandsOfOneWorkspaceSaveTheResultsOfBoth)
{
    temporary_directory const place;
    local_backend const in(place.path());
    lock_request asked;
    asked.operation = "apply";
    asked.parts.emplace();
    auto const first_lock = in.lock("default", asked);
    auto const second_lock = in.lock("default", asked);
    ASSERT_TRUE(first_lock && second_lock);
    auto const first = in.open("default", open_mode::read_write);
    auto const second = in.open("default", open_mode::read_write);
    auto one = first->read_now().value();
    auto other = second->read_now().value();
    auto const save = [](store& to, infra::snapshot& s, infra::document d) {
        auto const e = infra::journal_entry::checks(std::move(d));
        ASSERT_TRUE(replay(s, e));
        ASSERT_EQ(error_text(to.append_now(std::vector{e}, s)), "");
    };
    save(*first, one, results({declaration("a", "fail"), declaration("b", "unknown")}));
    save(*second, other, results({declaration("a", "unknown"), declaration("b", "pass")}));

    auto const both = results({declaration("a", "fail"), declaration("b", "pass")});
    auto const reader = in.open("default", open_mode::read_only);
    EXPECT_EQ(reader->read_now().value().checks, both);
    EXPECT_EQ(reader->entries_after(0).value().back().entry.output_content().value, both);
    EXPECT_TRUE(reader->verify().value().passed());
}

}  // namespace
}  // namespace iacctl::state::test
