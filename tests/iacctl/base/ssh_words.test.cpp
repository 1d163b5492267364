// SPDX-License-Identifier: BSL-1.0
#include "base/ssh/agent_identity.hpp"
#include "base/ssh/command_words.hpp"
#include "base/ssh/private_directory.hpp"
#include "base/ssh/settings.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ssh = iacctl::ssh;
using ssh::platform;

auto has(std::vector<std::string> const& words, std::string const& word) -> bool
{
    return std::ranges::find(words, word) != words.end();
}

auto starting_with(std::vector<std::string> const& words, std::string const& begin) -> std::string
{
    auto const found = std::ranges::find_if(words, [&](std::string const& word) { return word.starts_with(begin); });
    return found == words.end() ? std::string() : *found;
}

auto settings() -> ssh::settings
{
    ssh::settings made;
    made.target.host = "host";
    made.target.user = "user";
    return made;
}

TEST(SshWords, AKeyIsTheOnlyOneThatIsOffered)
{
    ssh::connection_files files;
    files.target.private_key = "/p/key";
    auto const words = connecting_words(settings(), files);
    EXPECT_TRUE(has(words, "IdentitiesOnly=yes") && has(words, "IdentityFile=/p/key") && has(words, "BatchMode=yes"));
    EXPECT_TRUE(has(words, "IdentityAgent=none") && has(words, "ForwardAgent=no"));
}

TEST(SshWords, WithoutAKeyNoDefaultKeyIsUsed)
{
    auto made = settings();
    made.agent = true;
    auto const words = connecting_words(made, {});
    EXPECT_TRUE(has(words, "IdentityFile=none") && has(words, "ForwardAgent=yes") && !has(words, "IdentityAgent=none"));
}

TEST(SshWords, HostKeysAreCheckedOnlyIfTheyAreKnown)
{
    EXPECT_TRUE(has(connecting_words(settings(), {}), "StrictHostKeyChecking=no"));
    ssh::connection_files files;
    files.target.known_hosts = "/p/known";
    auto const words = connecting_words(settings(), files);
    EXPECT_TRUE(has(words, "StrictHostKeyChecking=yes") && has(words, "UserKnownHostsFile=/p/known"));
    EXPECT_EQ(ssh::known_hosts_text(" ssh-rsa AAAA\n"), "* ssh-rsa AAAA\n@cert-authority * ssh-rsa AAAA\n");
}

TEST(SshWords, ABastionIsACommandForTheShell)
{
    auto made = settings();
    made.target.host = "fe80::1%lo";
    made.bastion.emplace();
    made.bastion->host = "bastion";
    made.bastion->user = "it's";
    ssh::connection_files files;
    files.bastion.password = "/p/password";
    auto const proxy = starting_with(connecting_words(made, files), "ProxyCommand=");
    EXPECT_TRUE(proxy.starts_with("ProxyCommand=env IACCTL_SSH_PASSWORD_FILE=/p/password ssh ")) << proxy;
    EXPECT_TRUE(proxy.ends_with("-W '[fe80::1%%lo]:22' -l 'it'\\''s' -p 22 -- bastion")) << proxy;
}

TEST(SshWords, ASessionMakesNoConnection)
{
    auto const words = session_words(settings(), {}, true, "command");
    EXPECT_TRUE(has(words, "ProxyCommand=false") && has(words, "-tt"));
    EXPECT_EQ(words.back(), "command");
}

TEST(SshWords, CommandsAreQuotedForTheShellOfTheMachine)
{
    EXPECT_EQ(remote_command(platform::posix, {"scp", "-t", "a b", "it's", ""}), "scp -t 'a b' 'it'\\''s' ''");
    EXPECT_EQ(remote_command(platform::windows, {"scp", "C:/a b", "say \"x\\\"", "end\\ "}),
        R"(scp "C:/a b" "say \"x\\\"" "end\ ")");
    EXPECT_EQ(remote_command(platform::windows, {R"(a b\)"}), R"("a b\\")");
}

TEST(AgentKey, IsFoundByItsFileItsCommentOrItsEnd)
{
    std::string const listed = "ssh-rsa AAA1 /home/one\nssh-ed25519 AAA2 /home/two\nssh-ed25519 AAA3 two\n";
    EXPECT_EQ(ssh::agent_key(listed, "", "two"), "ssh-ed25519 AAA3 two\n");
    EXPECT_EQ(ssh::agent_key(listed, "", "home/two"), "ssh-ed25519 AAA2 /home/two\n");
    EXPECT_EQ(ssh::agent_key(listed, "ssh-ed25519 AAA2 other\n", "file"), "ssh-ed25519 AAA2 /home/two\n");
    EXPECT_EQ(ssh::agent_key(listed, "", "three"), "");
    EXPECT_EQ(ssh::agent_key("The agent has no identities.\n", "", "x"), "");
}

TEST(PrivateDirectory, IsRemovedWithItsFiles)
{
    auto made = ssh::private_directory::make();
    ASSERT_TRUE(made.has_value());
    auto directory = *std::move(made);
    auto const path = directory.write("key", "text");
    ASSERT_TRUE(path.has_value());
    struct stat found{};
    ASSERT_EQ(::stat(path->c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
    EXPECT_FALSE(directory.write("key", "again").has_value());
    auto const parent = std::filesystem::path(*path).parent_path();
    directory.remove_files();
    EXPECT_FALSE(std::filesystem::exists(*path));
    ASSERT_TRUE(directory.write("other", "text").has_value());
    {
        auto const last = std::move(directory);
        EXPECT_TRUE(std::filesystem::exists(parent));
    }
    EXPECT_FALSE(std::filesystem::exists(parent));
}

}  // namespace
