// SPDX-License-Identifier: BSL-1.0
#include "providers/plugin/handshake.hpp"
#include "providers/plugin/certificate.hpp"

#include "base/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace iacctl::plugin;
using testing::HasSubstr;

TEST(PluginHandshake, ContainsTheSocketOfAProvider)
{
    auto const read = handshake::parse("1|5|unix|/tmp/plugin123|grpc|");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->protocol_version, 5);
    EXPECT_EQ(read->socket.text, "/tmp/plugin123");
    EXPECT_EQ(read->certificate, "");
}

TEST(PluginHandshake, MayNameATcpSocket)
{
    auto const read = handshake::parse("1|5|tcp|127.0.0.1:1234|grpc|");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->socket.text, "127.0.0.1:1234");
    EXPECT_TRUE(read->socket.tcp);
}

TEST(PluginHandshake, AcceptsACertificateWithoutPaddingAndUnusedParts)
{
    auto const read = handshake::parse("1|6|unix|/tmp/a b|grpc|Zm9vYg|true|more");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->protocol_version, 6);
    EXPECT_EQ(read->socket.text, "/tmp/a b");
    EXPECT_EQ(read->certificate, "foob");
}

TEST(PluginHandshake, IsRejectedWithTheReason)
{
    for (auto const& [line, why] : std::vector<std::pair<std::string, std::string>>{
             {"", "its first line of output is not that of a plugin: \"\""},
             {"usage: provider", "is not that of a plugin: \"usage: provider\""},
             {"1|5|unix", "is not that of a plugin"},
             {"2|5|unix|/tmp/a|grpc|", "version 2 of the plugin handshake"},
             {"1|4|unix|/tmp/a|grpc|", "version 4 of the plugin protocol"},
             {"1|55|unix|/tmp/a|grpc|", "version 55 of the plugin protocol"},
             {"1|5|udp|127.0.0.1:1234|grpc|", "a socket of the kind \"udp\""},
             {"1|5|unix|/tmp/a|netrpc|", "it uses \"netrpc\", not gRPC"},
             {"1|5|unix|/tmp/a", "it uses \"\", not gRPC"},
             {"1|5|unix|/tmp/a|grpc|!!!", "its certificate is not base64"},
         }) {
        auto const read = handshake::parse(line);
        ASSERT_FALSE(read) << line;
        EXPECT_THAT(read.error(), HasSubstr(why)) << line;
    }
}

TEST(PluginHandshake, QuotesOnlyTheBeginningOfALongLine)
{
    auto const read = handshake::parse(std::string(100'000, 'x'));
    ASSERT_FALSE(read);
    EXPECT_LT(read.error().size(), 500U);
}

TEST(PluginCertificate, SurvivesBothEncodings)
{
    auto const made = certificate::make();
    ASSERT_TRUE(made);
    auto const other = certificate::make();
    ASSERT_TRUE(other);
    EXPECT_NE(made->der(), other->der());
    EXPECT_EQ(certificate::from_der(made->der()).value().pem(), made->pem());
    EXPECT_EQ(certificate::from_pem(made->pem()).value().der(), made->der());
    EXPECT_FALSE(certificate::from_der("no certificate"));
    EXPECT_FALSE(certificate::from_pem("no certificate"));
}

TEST(PluginReattach, NamesRunningProviders)
{
    auto const read = parse_reattach(R"({
        "registry.terraform.io/hashicorp/random": {"Protocol": "grpc", "ProtocolVersion": 6, "Pid": 12, "Test": true,
            "Addr": {"Network": "unix", "String": "/tmp/plugin1"}},
        "example.com/me/mine": {"Protocol": "grpc", "Pid": 13, "Test": false, "Addr": {"Network": "unix", "String": "/tmp/2"}},
        "tls": {"Protocol": "grpc", "ProtocolVersion": 5, "Addr": {"Network": "tcp", "String": "127.0.0.1:4000"}}
    })");
    ASSERT_TRUE(read) << read.error();
    ASSERT_EQ(read->size(), 3U);
    auto const& random = read->at("registry.terraform.io/hashicorp/random");
    EXPECT_EQ(random.protocol_version, 6);
    EXPECT_EQ(random.process, 12);
    EXPECT_TRUE(random.test);
    EXPECT_EQ(random.socket.text, "/tmp/plugin1");
    EXPECT_FALSE(random.socket.tcp);
    EXPECT_EQ(read->at("example.com/me/mine").protocol_version, 5);
    EXPECT_FALSE(read->at("example.com/me/mine").test);
    EXPECT_EQ(read->at("registry.terraform.io/hashicorp/tls").socket.text, "127.0.0.1:4000");
    EXPECT_TRUE(read->at("registry.terraform.io/hashicorp/tls").socket.tcp);
}

TEST(PluginReattach, IsRejectedWithTheReason)
{
    auto const entry = [](std::string const& text) { return R"({"tls": {)" + text + "}}"; };
    std::string const where = R"("Addr": {"Network": "unix", "String": "/tmp/3"})";
    for (auto const& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {"{", "line 1"},
             {"[]", "it is not a JSON object"},
             {R"({"a/b/c/d": {}})", "\"a/b/c/d\" is not the address of a provider"},
             {entry(""), "the entry of tls has no \"Addr\""},
             {entry(where), "\"Protocol\" \"grpc\""},
             {entry(R"("Protocol": "netrpc",)" + where), "\"Protocol\" \"grpc\""},
             {entry(R"("Protocol": "grpc", "ProtocolVersion": 4,)" + where), "\"ProtocolVersion\" 5 or 6"},
             {entry(R"("Protocol": "grpc", "Addr": {"Network": "udp", "String": "x"})"),
                 "\"Network\" \"unix\" or \"tcp\""},
             {entry(R"("Protocol": "grpc", "Addr": {"Network": "unix"})"), "no \"String\""},
         }) {
        auto const read = parse_reattach(text);
        ASSERT_FALSE(read) << text;
        EXPECT_THAT(read.error(), HasSubstr(why)) << text;
    }
}

}  // namespace
