// SPDX-License-Identifier: BSL-1.0
#include "wal_check.hpp"

#include "base/durable_file.hpp"
#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace iacctl::state {

namespace {

// \source SQLite, "The WAL file format": a header, then frames of a header and a page each.
constexpr std::size_t header_size = 32;
constexpr std::size_t frame_header_size = 24;
constexpr std::uint32_t log_magic = 0x377F0682;  // the lowest bit: checksums are of big-endian words
constexpr std::uint32_t log_version = 3007000;
constexpr std::uint32_t usual_page_size = 4096;

using byte_view = std::span<unsigned char const>;

auto word(byte_view from, std::size_t at, bool big_endian = true) -> std::uint32_t
{
    auto const byte = [&](std::size_t i) { return std::uint32_t{from[at + i]}; };
    return big_endian ? byte(0) << 24U | byte(1) << 16U | byte(2) << 8U | byte(3)
                      : byte(3) << 24U | byte(2) << 16U | byte(1) << 8U | byte(0);
}

struct word_pair {
    std::uint32_t first = 0;
    std::uint32_t second = 0;

    friend auto operator==(word_pair const&, word_pair const&) -> bool = default;
};

auto pair_at(byte_view from, std::size_t at) -> word_pair
{
    return {word(from, at), word(from, at + 4)};
}

auto checksum(word_pair sum, byte_view view, bool big_endian) -> word_pair
{
    for (std::size_t at = 0; at + 8 <= view.size(); at += 8) {
        sum.first += word(view, at, big_endian) + sum.second;
        sum.second += word(view, at + 4, big_endian) + sum.first;
    }
    return sum;
}

// False if the file ends before.
auto read_at(int fd, std::span<unsigned char> to, std::size_t at) -> bool
{
    for (;;) {
        ssize_t const size = ::pread(fd, to.data(), to.size(), static_cast<off_t>(at));
        if (size < 0 && errno == EINTR) continue;
        return size == static_cast<ssize_t>(to.size());
    }
}

class wal_scan {
public:
    wal_scan(int fd, byte_view header) : fd_(fd)
    {
        std::uint32_t const first = word(header, 0);
        big_endian_ = (first & 1U) != 0;
        page_size_ = word(header, 8);
        salts_ = pair_at(header, 16);
        sum_ = pair_at(header, 24);
        bool const possible_size = page_size_ >= 512 && page_size_ <= 65536 && (page_size_ & (page_size_ - 1)) == 0;
        header_is_right_ = (first & ~1U) == log_magic && word(header, 4) == log_version && possible_size
            && checksum({}, header.first(24), big_endian_) == sum_;
        if (header_is_right_) return;
        page_size_ = usual_page_size;
        big_endian_ = false;
    }

    // The number of the first damaged frame that was durable, 0 for the header; empty if there is none.
    [[nodiscard]] auto damaged_frame() -> std::optional<std::size_t>
    {
        std::optional<std::size_t> wrong;
        if (!header_is_right_) wrong = 0;
        bool transaction_ended = false;  // after the damage
        std::vector<unsigned char> frame(frame_header_size + page_size_);
        for (std::size_t i = 1; read_at(fd_, frame, header_size + (i - 1) * frame.size()); ++i) {
            bool const right = follows(frame, i);
            bool const ends_transaction = right && word(frame, 4) != 0;
            if (!right && !wrong) wrong = i;
            if (!right || !wrong) continue;
            // The header is synchronized before all frames.
            if (transaction_ended || (*wrong == 0 && ends_transaction)) return wrong;
            transaction_ended = ends_transaction;
        }
        return std::nullopt;
    }

private:
    // Returns whether this frame was written after the preceding one, even if that is damaged now: checksums are
    // chained.
    auto follows(byte_view frame, std::size_t number) -> bool
    {
        word_pair const before = sum_;
        word_pair const salts = pair_at(frame, 8);
        sum_ = pair_at(frame, 16);
        bool const same_log = salts == salts_;
        if (!header_is_right_) salts_ = salts;
        if (!same_log || word(frame, 0) == 0 || (number == 1 && !header_is_right_)) return false;
        word_pair const sum = checksum(before, frame.first(8), big_endian_);
        return checksum(sum, frame.subspan(frame_header_size), big_endian_) == sum_;
    }

    int fd_;
    bool header_is_right_ = false;
    bool big_endian_ = false;
    std::uint32_t page_size_ = 0;
    word_pair salts_;
    word_pair sum_;
};

}  // namespace

auto find_wal_damage(std::filesystem::path const& log) -> std::optional<std::string>
{
    file_descriptor const file(::open(log.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file) return std::nullopt;
    // A frame that was being written is valid on the second read; a restarted log has another header.
    std::optional<std::size_t> before;
    for (;;) {
        std::array<unsigned char, header_size> header{};
        std::array<unsigned char, header_size> after{};
        if (!read_at(file.get(), header, 0)) return std::nullopt;
        auto const wrong = wal_scan(file.get(), header).damaged_frame();
        if (!wrong) return std::nullopt;
        bool const same_log = read_at(file.get(), after, 0) && after == header;
        if (same_log && before == wrong) return *wrong == 0 ? "its header" : "frame " + std::to_string(*wrong);
        before = same_log ? wrong : std::nullopt;
    }
}

}  // namespace iacctl::state
