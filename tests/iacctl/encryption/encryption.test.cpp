// SPDX-License-Identifier: BSL-1.0
#include "base/encoding.hpp"
#include "base/input_file.hpp"
#include "state/encryption/aes_gcm.hpp"
#include "state/encryption/key_provider.hpp"
#include "state/encryption/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace iacctl;
using namespace iacctl::encryption;

auto passphrase(std::string text) -> pbkdf2_settings
{
    pbkdf2_settings with;
    with.passphrase = std::move(text);
    with.iterations = pbkdf2_settings::least_iterations;
    return with;
}

template <class T>
auto code_of(expected<T> const& e) -> std::string
{
    return e ? "" : e.error().why().front().code;
}

// The content of a file in the folder of this source.
auto recorded(char const* name) -> std::string
{
    return *read_input(std::filesystem::path(__FILE__).parent_path() / name);
}

TEST(AesGcm, DecryptsOnlyItsOwnCiphertexts)
{
    aes_gcm const one(std::string(32, 'k'));
    aes_gcm const other(std::string(32, 'l'));
    for (std::string const& text :
        {std::string(), std::string("a"), std::string(100'000, 'x'), std::string("\0b", 2)}) {
        std::string const sealed = one.seal(text, "place");

        EXPECT_EQ(sealed.size(), text.size() + aes_gcm::nonce_size + aes_gcm::tag_size);
        EXPECT_EQ(one.open(sealed, "place"), text);
        EXPECT_EQ(one.open(sealed, "other place"), std::nullopt);
        EXPECT_EQ(other.open(sealed, "place"), std::nullopt);
        for (std::size_t i : {std::size_t{0}, sealed.size() / 2, sealed.size() - 1}) {
            std::string changed = sealed;
            changed[i] = static_cast<char>(changed[i] ^ 1);
            EXPECT_EQ(one.open(changed, "place"), std::nullopt);
        }
        EXPECT_EQ(one.open(sealed.substr(1), "place"), std::nullopt);
    }
    EXPECT_NE(one.seal("a"), one.seal("a"));
    EXPECT_EQ(one.open({}), std::nullopt);
}

// Test case 16 of the specification of GCM, with a key of 256 bits.
TEST(AesGcm, FollowsTheSpecification)
{
    auto const bytes = [](std::string_view digits) {
        std::string made;
        for (std::size_t i = 0; i < digits.size(); i += 2)
            made.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
        return made;
    };
    aes_gcm const key(bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"));
    auto const sealed = bytes("cafebabefacedbaddecaf888"
                              "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                              "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                              "76fc6ece0f4e1768cddf8853bb2d551b");

    EXPECT_EQ(key.open(sealed, bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")),
        bytes("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
              "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"));
}

TEST(Pbkdf2, DerivesTheSameKeyFromItsMetadataOnceInAProcess)
{
    auto const first = make_pbkdf2("key_provider.pbkdf2.a", passphrase("a passphrase that is long"))->key_to_seal();
    ASSERT_TRUE(first);
    auto const again = make_pbkdf2("key_provider.pbkdf2.b", passphrase("a passphrase that is long"));
    auto const started = std::chrono::steady_clock::now();
    auto const opened = again->key_to_open(first->metadata);
    again->confirm(first->metadata);
    auto const sealing = again->key_to_seal();
    auto const took = std::chrono::steady_clock::now() - started;

    ASSERT_TRUE(opened && sealing);
    EXPECT_EQ(first->key.size(), 32U);
    EXPECT_EQ(*opened, first->key);
    EXPECT_EQ(sealing->key, first->key);
    EXPECT_EQ(sealing->metadata, first->metadata);
    EXPECT_LT(took, std::chrono::milliseconds(50));
    auto const other = make_pbkdf2("key_provider.pbkdf2.a", passphrase("another passphrase, as long"));
    EXPECT_NE(*other->key_to_open(first->metadata), first->key);
    EXPECT_NE(other->key_to_seal()->metadata, first->metadata);
}

TEST(Pbkdf2, RejectsInvalidMetadata)
{
    auto const keys = make_pbkdf2("key_provider.pbkdf2.a", passphrase("a passphrase that is long"));
    for (char const* text : {"", "{}", "null", R"({"salt":"","iterations":1,"hash_function":"sha512","key_length":32})",
             R"({"salt":"YQ==","iterations":0,"hash_function":"sha512","key_length":32})",
             R"({"salt":"YQ==","iterations":99999999999,"hash_function":"sha512","key_length":32})",
             R"({"salt":"YQ==","iterations":1,"hash_function":"md5","key_length":32})",
             R"({"salt":"YQ==","iterations":1,"hash_function":"sha512","key_length":5})"})
        EXPECT_EQ(code_of(keys->key_to_open(text)), "key_provider_failed") << text;
}

TEST(ExternalKeys, AreRequestedWithTheMetadataOfTheData)
{
    std::vector<std::string> inputs;
    auto const keys = make_external("key_provider.external.a", {"program", "argument"},
        [&](std::vector<std::string> const& words, std::string const& input) -> expected<std::string> {
            EXPECT_EQ(words, (std::vector<std::string>{"program", "argument"}));
            inputs.push_back(input);
            return "{\"magic\":\"OpenTofu-External-Key-Provider\",\"version\":1}\n{\"keys\":{\"encryption_key\":\""
                + base64(std::string(32, 'e')) + "\",\"decryption_key\":\"" + base64(std::string(32, 'd'))
                + "\"},\"meta\":{\"external_data\":{\"id\":7}}}";
        });

    auto const sealing = keys->key_to_seal();
    auto const opening = keys->key_to_open(R"({"external_data":{"id":5}})");
    (void)keys->key_to_open(R"({"external_data":{"id":5}})");

    ASSERT_TRUE(sealing && opening);
    EXPECT_EQ(sealing->key, std::string(32, 'e'));
    EXPECT_EQ(sealing->metadata, R"({"external_data":{"id":7}})");
    EXPECT_EQ(*opening, std::string(32, 'd'));
    EXPECT_THAT(inputs, testing::ElementsAre("null", R"({"external_data":{"id":5}})"));
}

TEST(ExternalKeys, AreRejectedFromAProgramWithAnotherProtocol)
{
    for (std::string const& said : {std::string(), std::string("{}\n{}"),
             std::string("{\"magic\":\"OpenTofu-External-Key-Provider\",\"version\":2}\n{}"),
             std::string("{\"magic\":\"OpenTofu-External-Key-Provider\",\"version\":1}\n{\"keys\":{}}"),
             std::string("{\"magic\":\"OpenTofu-External-Key-Provider\",\"version\":1}\n"
                         "{\"keys\":{\"encryption_key\":\"c2hvcnQ=\"}}")}) {
        auto const keys = make_external(
            "key_provider.external.b", {said}, [&](auto const&, auto const&) -> expected<std::string> { return said; });
        EXPECT_EQ(code_of(keys->key_to_seal()), "key_provider_failed") << said;
    }
}

class KeyFile : public testing::Test {
protected:
    [[nodiscard]] auto key(std::string const& content) const -> expected<provided_key>
    {
        std::ofstream(file_, std::ios::binary | std::ios::trunc) << content;
        return make_key_file("key_provider.file.a", file_)->key_to_seal();
    }
    void TearDown() override { std::filesystem::remove(file_); }

    std::filesystem::path const file_ = std::filesystem::path(testing::TempDir()) / "iacctl-key-file";
};

TEST_F(KeyFile, ContainsBytesOrHexadecimalDigits)
{
    EXPECT_EQ(key(std::string(32, '\n'))->key, std::string(32, '\n'));
    EXPECT_EQ(key(std::string(64, '6') + "\n")->key, std::string(32, 'f'));
    for (std::string const& wrong : {std::string(), std::string(31, 'a'), std::string(64, 'x'), std::string(66, 'a')})
        EXPECT_EQ(code_of(key(wrong)), "key_provider_failed") << wrong;
    std::filesystem::remove(file_);
    EXPECT_EQ(code_of(make_key_file("key_provider.file.a", file_)->key_to_seal()), "key_provider_failed");
}

TEST(Target, ReadsAStateThatOpenTofuHasEncrypted)
{
    method const with{
        "method.aes_gcm.m", make_pbkdf2("key_provider.pbkdf2.p", passphrase("correct horse battery staple")), {}};
    target const state("state", {with});

    auto const text = state.open(recorded("opentofu_1_9_state.json"), "the state");

    ASSERT_TRUE(text) << text.error().why().front().detail;
    EXPECT_NE(text->find("a secret of OpenTofu"), std::string::npos);
    auto const sealed = state.seal(*text);
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->find("a secret of OpenTofu"), std::string::npos);
    EXPECT_EQ(*state.open(*sealed, "the state"), *text);
}

TEST(Target, NamesAllMethodsThatItHasTried)
{
    method const wrong{
        "method.aes_gcm.w", make_pbkdf2("key_provider.pbkdf2.p", passphrase("some other passphrase")), {}};
    method const absent{
        "method.aes_gcm.x", make_pbkdf2("key_provider.pbkdf2.q", passphrase("some other passphrase")), {}};
    auto const sealed = recorded("opentofu_1_9_state.json");

    auto const failed = target("state", {wrong, absent, method()}).open(sealed, "the state");

    ASSERT_EQ(code_of(failed), "decryption_failed");
    EXPECT_NE(failed.error().why().front().detail.find("method.aes_gcm.w"), std::string::npos);
    EXPECT_NE(failed.error().why().front().detail.find("key_provider.pbkdf2.q"), std::string::npos);
    EXPECT_EQ(code_of(target("state", {method()}).open(sealed, "the state")), "encryption_not_configured");
    EXPECT_EQ(code_of(target("state", {wrong}).open("{}", "the state")), "data_not_encrypted");
    EXPECT_EQ(*target("state", {wrong, method()}).open("{}", "the state"), "{}");
}

TEST(Targets, AreThoseOfAnInstanceOrOfAllInstances)
{
    auto const source = [](std::vector<infra::module_step> in, infra::instance_key key) {
        return infra::address(std::move(in), infra::resource_mode::data, "terraform_remote_state", "r", std::move(key));
    };
    infra::module_step const keyed{"m", infra::instance_key("a.b")};
    targets all;
    for (char const* const name : {"r", "r[0]", "m.module.n.r", "m[\"a.b\"].r"})
        all.remote_states.emplace(name, target(name, {method()}));

    auto const method_of = [&](infra::address const& a) { return &all.of_remote_state(a); };

    EXPECT_EQ(method_of(source({}, infra::instance_key(0))), &all.remote_states.at("r[0]"));
    EXPECT_EQ(method_of(source({}, infra::instance_key(1))), &all.remote_states.at("r"));
    EXPECT_EQ(method_of(source({keyed}, {})), &all.remote_states.at("m[\"a.b\"].r"));
    EXPECT_EQ(method_of(source({keyed, {"n", {}}}, infra::instance_key(0))), &all.remote_states.at("m.module.n.r"));
    EXPECT_EQ(method_of(source({{"m", {}}}, {})), &all.remote_state);
}

}  // namespace
