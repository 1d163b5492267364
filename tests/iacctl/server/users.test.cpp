// SPDX-License-Identifier: BSL-1.0
#include "server/users.hpp"
#include "server/authenticator.hpp"

#include "iacctl/state/support.hpp"

#include "base/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace iacctl::server::test {
namespace {

using state::test::codes_of;
using state::test::error_text;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Users : public testing::Test {
protected:
    void add(std::string const& name, std::string const& password, role may = role::write) const
    {
        auto const added = add_user(file, name, may, password);
        EXPECT_TRUE(added) << error_text(added.error());
    }
    [[nodiscard]] auto list() const -> user_list
    {
        auto read = user_list::read(file);
        EXPECT_TRUE(read) << error_text(read);
        return read ? std::move(*read) : user_list();
    }
    static auto header(std::string const& text) -> std::string { return "Basic " + base64(text); }

    state::test::temporary_directory directory;
    state::test::fs::path file = directory.path() / "users";
};

TEST_F(Users, AreVerifiedByTheirPasswords)
{
    add("ann", "secret");
    add("bob", "other", role::read);
    auto const all = list();
    ASSERT_TRUE(all.verify("ann", "secret"));
    EXPECT_EQ(all.verify("ann", "secret")->may, role::write);
    EXPECT_EQ(all.verify("bob", "other")->may, role::read);
    EXPECT_FALSE(all.verify("ann", "other"));
    EXPECT_FALSE(all.verify("ann", ""));
    EXPECT_FALSE(all.verify("nobody", "secret"));
    EXPECT_FALSE(all.verify("nobody", "of nobody"));
    EXPECT_FALSE(all.verify("ann", "secret" + std::string(70, 'x')));
}

TEST_F(Users, AreStoredWithoutTheirPasswords)
{
    add("ann", "secret");
    EXPECT_THAT(state::test::read_text(file), HasSubstr("ann:$2b$"));
    EXPECT_THAT(state::test::read_text(file), Not(HasSubstr("secret")));
    using state::test::fs::perms;
    EXPECT_EQ(state::test::fs::status(file).permissions(), perms::owner_read | perms::owner_write);
}

TEST_F(Users, AreReplacedByTheirNames)
{
    state::test::write_text(file, "# our team\n");
    add("ann", "old");
    add("anna", "hers");
    add("ann", "new");
    EXPECT_FALSE(list().verify("ann", "old"));
    EXPECT_TRUE(list().verify("ann", "new"));
    EXPECT_TRUE(list().verify("anna", "hers"));
    EXPECT_THAT(state::test::read_text(file), HasSubstr("# our team\n"));
}

TEST_F(Users, AreRejectedIfALineIsInvalid)
{
    for (char const* const line : {"ann", "ann:plain", ":$2b$x", "ann:$2b$x:admin", "../x:$2b$x"}) {
        state::test::write_text(file, std::string("# comment\n\n") + line + "\n");
        auto const read = user_list::read(file);
        EXPECT_THAT(codes_of(read), ElementsAre("users_malformed")) << line;
        EXPECT_THAT(error_text(read), HasSubstr("Line 3")) << line;
    }
    EXPECT_THAT(codes_of(user_list::read(directory.path() / "none")), ElementsAre("users_unreadable"));
    EXPECT_FALSE(add_user(file, "a:b", role::write, "x"));
    EXPECT_FALSE(add_user(file, "", role::write, "x"));
    EXPECT_FALSE(add_user(file, "ann", role::write, ""));
    EXPECT_FALSE(add_user(file, "ann", role::write, std::string(73, 'x')));
}

TEST_F(Users, AreCachedUntilTheFileChanges)
{
    add("ann", "secret");
    authenticator of(file);
    EXPECT_EQ(*of.recall(header("ann:secret")), std::nullopt);
    auto const then = of.users();
    of.remember(header("ann:secret"), then, {"ann", role::write});
    EXPECT_TRUE(*of.recall(header("ann:secret")));
    EXPECT_FALSE(*of.recall(header("ann:other")));
    add("ann", "a new one");
    EXPECT_FALSE(*of.recall(header("ann:secret")));
    of.remember(header("ann:secret"), then, {"ann", role::write});
    EXPECT_FALSE(*of.recall(header("ann:secret"))) << "verified with the file that was there before";
    state::test::fs::remove(file);
    EXPECT_THAT(codes_of(of.recall(header("ann:secret"))), ElementsAre("users_unreadable"));
}

TEST(Credentials, AreReadFromBasicAuthentication)
{
    auto const given = credentials::parse("basic " + base64("ann:a:b"));
    ASSERT_TRUE(given);
    EXPECT_EQ(given->name, "ann");
    EXPECT_EQ(given->password, "a:b");
    for (std::string const& header : {std::string(), std::string("Basic"), std::string("Basic !"),
             "Bearer " + base64("a:b"), "Basic " + base64("no colon"), "Basic " + base64(std::string("a:b\0c", 5))})
        EXPECT_FALSE(credentials::parse(header)) << header;
}

}  // namespace
}  // namespace iacctl::server::test
