// SPDX-License-Identifier: BSL-1.0
#include "base/encoding.hpp"
#include "base/digest.hpp"
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace {

using namespace iacctl;
using namespace std::string_literals;

TEST(Encoding, DecodingRestoresTheText)
{
    for (std::size_t size = 0; size < 300; ++size) {
        std::string const bytes = random_bytes(size);
        ASSERT_EQ(from_base64(base64(bytes)), bytes);
        ASSERT_EQ(from_base64_url(base64_url(bytes)), bytes);
        ASSERT_EQ(base64(bytes).size(), (size + 2) / 3 * 4);
        ASSERT_EQ(hex(bytes).size(), 2 * size);
    }
}

// \source RFC 4648, 10
TEST(Encoding, Base64FollowsTheStandard)
{
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
    EXPECT_EQ(base64_url("\xfb\xff\xfe\xff"), "-__-_w");
    EXPECT_EQ(hex("foobar"), "666f6f626172");
    EXPECT_EQ(hex("\x00\xff"s), "00ff");
}

TEST(Encoding, Base64MayBeWrittenOnSeveralLines)
{
    EXPECT_EQ(from_base64("Zm9v\nYm\r\nFy\n"), "foobar");
    EXPECT_EQ(from_base64("Z\ng=\n="), "f");
    EXPECT_EQ(from_base64("\n"), "");
}

TEST(Encoding, InvalidBase64IsRejected)
{
    for (std::string_view const text : {"Z", "Zg", "Zg=", "Zg===", "=", "==", "====", "=g==", "Z===", "Z=g=",
             "Zg==Zg==", "Zm9v ", " Zm9v", "Zm 9", "Zm9-", "Zm9_", "Zm9\xff", "Zm9v=", "Zm8=\t"})
        EXPECT_FALSE(from_base64(text)) << text;
    EXPECT_FALSE(from_base64(std::string_view("Zm9\0", 4)));
    for (std::string_view const text : {"Z", "Zg==", "Zm9+", "Zm9/", "Zm9v\n", "Zm9vZ", "Zm 9"})
        EXPECT_FALSE(from_base64_url(text)) << text;
}

TEST(Encoding, DecimalAcceptsOneNumber)
{
    EXPECT_EQ(decimal(""), "0");
    EXPECT_EQ(decimal("\x01\x00"s), "256");
    EXPECT_EQ(decimal("\x00\x00\x07"s), "7");
    EXPECT_EQ(decimal(std::string(16, '\xff')), "340282366920938463463374607431768211455");
}

TEST(Encoding, PercentEscapesOneByte)
{
    std::string out;
    for (char const c : "/ \xfc"s) append_percent(out, c);
    EXPECT_EQ(out, "%2F%20%FC");
}

// \source RFC 1321, RFC 3174, FIPS 180
TEST(Digest, FollowsTheStandard)
{
    EXPECT_EQ(hex(digest("", digest_kind::md5)), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(hex(digest("abc", digest_kind::sha1)), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(
        hex(digest("abc", digest_kind::sha256)), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest("abc", digest_kind::sha512).size(), 64U);
    EXPECT_NE(digest("a\0b"s, digest_kind::sha256), digest("a", digest_kind::sha256));
}

// \source RFC 4231, test cases 2 and 6
TEST(Digest, AuthenticatesWithAKey)
{
    EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Random, ReturnsTheRequestedNumberOfBytesAndDoesNotRepeatThem)
{
    for (std::size_t const size : {0U, 1U, 255U, 256U, 257U, 5000U}) EXPECT_EQ(random_bytes(size).size(), size);
    for (std::size_t size = 0; size < 40; ++size) {
        auto const digits = random_hex(size);
        EXPECT_EQ(digits.size(), size);
        EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), std::string::npos) << digits;
    }
    // More bytes than one call of the system returns.
    auto const many = random_bytes(1024);
    EXPECT_NE(many.substr(0, 256), many.substr(256, 256));
    EXPECT_NE(many.substr(512, 256), std::string(256, '\0'));
}

TEST(Random, UuidsAreOfVersion4)
{
    std::set<std::string> all;
    for (int i = 0; i < 1000; ++i) {
        auto const id = random_uuid();
        ASSERT_TRUE(is_uuid(id)) << id;
        ASSERT_EQ(id[14], '4') << id;
        ASSERT_NE(std::string_view("89ab").find(id[19]), std::string_view::npos) << id;
        ASSERT_TRUE(all.insert(id).second) << id;
    }
}

TEST(Random, InvalidUuidsAreRejected)
{
    EXPECT_TRUE(is_uuid("6BA7B810-9dad-11d1-80b4-00c04fd430c8"));
    for (std::string_view const text : {"", "6ba7b8109dad11d180b400c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c",
             "6ba7b810-9dad-11d1-80b4-00c04fd430c8a", "6ba7b81-09dad-11d1-80b4-00c04fd430c8",
             "gba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810 9dad 11d1 80b4 00c04fd430c8"})
        EXPECT_FALSE(is_uuid(text)) << text;
}

}  // namespace
