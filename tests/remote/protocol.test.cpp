// SPDX-License-Identifier: BSL-1.0
#include <strider/remote/messages.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::remote::test {
namespace {

using std::chrono::nanoseconds;
using testing::ElementsAre;

TEST(Fields, AreReadAsTheyWereWritten)
{
    std::string bytes;
    field_writer(bytes)
        .number(std::uint8_t{7})
        .number(std::uint64_t{0x0102030405060708})
        .text("text")
        .text("")
        .bytes("ab");
    field_reader in(bytes);

    EXPECT_EQ(in.number<std::uint8_t>(), 7);
    EXPECT_EQ(in.number<std::uint64_t>(), 0x0102030405060708U);
    EXPECT_EQ(in.text(), "text");
    EXPECT_EQ(in.text(), "");
    EXPECT_FALSE(in.at_end());
    EXPECT_EQ(in.bytes(2), "ab");
    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(bytes.substr(1, 8), std::string("\1\2\3\4\5\6\7\10", 8));
}

TEST(Fields, FailPermanentlyWhenBytesAreMissing)
{
    std::string bytes;
    field_writer(bytes).number(std::uint32_t{5}).bytes("four");
    field_reader in(bytes);

    EXPECT_EQ(in.text(), "");
    EXPECT_FALSE(in.ok());
    EXPECT_EQ(in.number<std::uint8_t>(), 0);
    EXPECT_FALSE(in.at_end());
}

// Passes pieces of at most `piece` bytes to the decoder.
[[nodiscard]] auto decoded(std::string_view bytes, std::size_t piece, error_code& error,
    std::uint32_t max_size = max_hello_size) -> std::vector<std::pair<frame_type, std::string>>
{
    frame_decoder decoder(max_size);
    std::vector<std::pair<frame_type, std::string>> found;
    while (!bytes.empty() && !error) {
        auto const to = decoder.prepare();
        std::size_t const size = std::min({piece, to.size(), bytes.size()});
        std::copy_n(bytes.begin(), size, to.begin());
        decoder.commit(size);
        bytes.remove_prefix(size);
        frame next;
        while (decoder.next(next, error)) found.emplace_back(next.type, std::string(next.payload));
    }
    return found;
}

TEST(Frames, ArriveWholeFromPiecesOfAnySize)
{
    frame_encoder encoder;
    encoder.add(frame_type::heartbeat, {});
    encoder.add(frame_type::visits, std::string(10'000, 'v'));
    encoder.add(frame_type::goodbye, {});
    std::string bytes;
    encoder.take(bytes);

    for (std::size_t const piece : {1U, 2U, 3U, 5U, 4096U, 100'000U}) {
        error_code error;
        EXPECT_THAT(decoded(bytes, piece, error),
            ElementsAre(std::pair(frame_type::heartbeat, std::string()),
                std::pair(frame_type::visits, std::string(10'000, 'v')),
                std::pair(frame_type::goodbye, std::string())));
        EXPECT_FALSE(error);
    }
    EXPECT_TRUE(encoder.empty());
}

TEST(Frames, HoldManySmallRecords)
{
    frame_encoder encoder;
    for (int i = 0; i < 100; ++i) encoder.add_record(frame_type::answers, "0123456789", 1005);
    encoder.add_record(frame_type::cancel, "x", 1005);
    encoder.add_record(frame_type::answers, "y", 1005);
    std::string bytes;
    encoder.take(bytes);
    error_code error;

    auto const frames = decoded(bytes, 4096, error);

    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[0].second.size(), 1000U);
    EXPECT_EQ(frames[2].second, "y");
}

TEST(Frames, AreRejectedIfTheyAreTooLongEmptyOrOfUnknownType)
{
    auto const error_of = [](std::string_view bytes) {
        error_code error;
        (void)decoded(bytes, 7, error);
        return error;
    };
    using namespace std::string_view_literals;

    EXPECT_EQ(error_of("\x00\x00\x40\x01\x07"sv), make_error_code(remote_errc::frame_too_large));
    EXPECT_EQ(error_of("GET / HTTP/1.1\r\n"sv), make_error_code(remote_errc::frame_too_large));
    EXPECT_EQ(error_of("\x00\x00\x00\x00"sv), make_error_code(remote_errc::protocol_error));
    EXPECT_EQ(error_of("\x00\x00\x00\x01\x00"sv), make_error_code(remote_errc::protocol_error));
    EXPECT_EQ(error_of("\x00\x00\x00\x01\x0a"sv), make_error_code(remote_errc::protocol_error));
}

TEST(Frames, DoNotMakeTheDecoderAllocateMoreThanTheirMaximumSize)
{
    frame_decoder decoder(100'000);
    std::string const announced("\x00\x01\x80\x00\x04", 5);
    std::copy(announced.begin(), announced.end(), decoder.prepare().begin());
    decoder.commit(announced.size());
    frame next;
    error_code error;

    EXPECT_FALSE(decoder.next(next, error));
    EXPECT_FALSE(error);
    EXPECT_LE(decoder.prepare().size(), 100'004U);
}

TEST(Hello, IsReadAsItWasWritten)
{
    hello_message sent;
    sent.application = "build";
    sent.credential = "secret";
    sent.worker = "w1";
    sent.slots = 8;
    sent.labels = {"gpu", "linux"};
    std::string bytes;
    sent.encode(bytes);

    auto const read = hello_message::decode(bytes);

    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->application, "build");
    EXPECT_EQ(read->credential, "secret");
    EXPECT_EQ(read->worker, "w1");
    EXPECT_EQ(read->slots, 8U);
    EXPECT_THAT(read->labels, ElementsAre("gpu", "linux"));
    EXPECT_EQ(read->common_version(), newest_protocol_version);
}

TEST(Hello, OfALaterVersionIsUnderstoodAsFarAsItsVersions)
{
    std::string bytes;
    field_writer(bytes)
        .bytes(protocol_magic)
        .number(std::uint16_t{7})
        .number(std::uint16_t{9})
        .bytes("fields of later versions");

    auto const read = hello_message::decode(bytes);

    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->common_version(), std::nullopt);
    EXPECT_EQ(read->newest_version, 9);
}

TEST(Hello, AgreesOnTheNewestCommonVersion)
{
    hello_message wide;
    wide.oldest_version = 1;
    wide.newest_version = 9;
    std::string bytes;
    wide.encode(bytes);

    EXPECT_EQ(hello_message::decode(bytes)->common_version(), newest_protocol_version);
}

TEST(Hello, IsRejectedWithoutMagicWithMissingBytesOrWithMore)
{
    std::string bytes;
    hello_message().encode(bytes);

    EXPECT_FALSE(hello_message::decode("strider" + bytes.substr(7 + 1)));
    for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(hello_message::decode(bytes.substr(0, size)));
    EXPECT_FALSE(hello_message::decode(bytes + "x"));
}

TEST(Messages, OfVisitsAndAnswersAreReadAsTheyWereWritten)
{
    std::string bytes;
    visit_message{7, 2, "key", "action"}.encode(bytes);
    EXPECT_EQ(bytes.size(), visit_message::overhead + 9);
    answer_message{3, 7, answer_status::failed, nanoseconds(5), "text"}.encode(bytes);
    EXPECT_EQ(bytes.size(), visit_message::overhead + answer_message::overhead + 13);
    field_reader in(bytes);
    visit_message v;
    answer_message a;

    ASSERT_TRUE(v.decode(in));
    ASSERT_TRUE(a.decode(in));

    EXPECT_TRUE(in.at_end());
    EXPECT_EQ(v.token, 7U);
    EXPECT_EQ(v.attempt, 2U);
    EXPECT_EQ(v.key, "key");
    EXPECT_EQ(v.action, "action");
    EXPECT_EQ(a.epoch, 3U);
    EXPECT_EQ(a.status, answer_status::failed);
    EXPECT_EQ(a.duration, nanoseconds(5));
    EXPECT_EQ(a.payload, "text");
}

TEST(Messages, RejectInvalidIntervals)
{
    welcome_message silent;
    silent.epoch = 1;
    silent.heartbeat = std::chrono::seconds(5);
    silent.timeout = std::chrono::seconds(5);
    std::string bytes;
    silent.encode(bytes);

    EXPECT_FALSE(welcome_message::decode(bytes));
}

// Random bytes, and valid messages with a few changed bytes: every decoder ends, reads nothing beyond its input, and
// uses no more memory than the size of the input.
TEST(Messages, SurviveAnyBytes)
{
    std::mt19937_64 random(20'000);
    std::string sound;
    hello_message().encode(sound);
    visit_message{7, 2, "key", "action"}.encode(sound);
    answer_message{3, 7, answer_status::failed, nanoseconds(5), "text"}.encode(sound);
    std::size_t understood = 0;

    for (int i = 0; i < 20'000; ++i) {
        std::string bytes(random() % 200, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        if (i % 2 == 0) {
            bytes = sound.substr(random() % sound.size());
            for (std::uint64_t n = random() % 4; n > 0 && !bytes.empty(); --n)
                bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        if (i % 3 == 0 && bytes.size() > 4)
            bytes.replace(0, 4, std::string("\0\0\0", 3) + static_cast<char>(random() % 64));
        error_code error;
        for (auto const& [type, payload] : decoded(bytes, 1 + random() % 64, error)) {
            ASSERT_LE(payload.size(), bytes.size());
            understood += type == frame_type::hello ? 1U : 0U;
        }
        (void)hello_message::decode(bytes);
        (void)welcome_message::decode(bytes);
        (void)rejection_message::decode(bytes);
        field_reader visits(bytes);
        for (visit_message v; !visits.at_end() && v.decode(visits);) ASSERT_LE(v.action.size(), bytes.size());
        field_reader answers(bytes);
        for (answer_message a; !answers.at_end() && a.decode(answers);) ASSERT_LE(a.payload.size(), bytes.size());
    }
    EXPECT_GT(understood, 0U);
}

}  // namespace
}  // namespace strider::remote::test
