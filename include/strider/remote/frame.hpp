// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_FRAME_HPP
#define STRIDER_REMOTE_FRAME_HPP

#include <strider/remote/fields.hpp>
#include <strider/remote/remote_error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace strider::remote {

/// The types of frames. A frame is a length of four bytes, a type of one byte, and a payload; the length counts type and payload.
enum class frame_type : std::uint8_t {
    hello = 1,  ///< worker: the first frame; versions, names, slots and labels
    welcome,  ///< coordinator: the version, the epoch of the session, its intervals
    rejection,  ///< coordinator: the reason for which the session ends
    visits,  ///< coordinator: visits to run
    answers,  ///< worker: ends of visits
    cancel,  ///< coordinator: tokens of visits to cancel
    heartbeat,  ///< both: nothing else was sent for an interval
    drain,  ///< worker: it takes no further visit, and returns those that have not started
    goodbye,  ///< coordinator: the session ends without an error
};

/// Maximum size of the first frame of a connection, so that a peer of another protocol is noticed before memory is allocated.
inline constexpr std::uint32_t max_hello_size = 16 * 1024;
/// Default maximum size of all other frames.
inline constexpr std::uint32_t default_max_frame_size = 16 * 1024 * 1024;

/// A frame that was received. The payload is valid until the decoder is used again.
struct frame {
    /// The kind of message that the payload is.
    frame_type type{};
    /// The bytes after the type; they refer to the memory of the decoder.
    std::string_view payload;
};

/// Collects frames to send.
class frame_encoder {
public:
    /// Appends a frame.
    void add(frame_type type, std::string_view payload)
    {
        begin(type);
        bytes_.append(payload);
        end();
    }
    /// Appends a record to the last frame if that has the same type and space, else to a new one. Frames of this type are
    /// sequences of records: small messages share a frame.
    void add_record(frame_type type, std::string_view record, std::uint32_t max_size)
    {
        std::size_t const grown = bytes_.size() - last_ - sizeof(std::uint32_t) + record.size();
        if (last_ == none || open_ != type || grown > std::min<std::size_t>(max_size, preferred_size)) begin(type);
        bytes_.append(record);
        end();
    }

    /// True if there is nothing to send.
    [[nodiscard]] auto empty() const noexcept -> bool { return bytes_.empty(); }
    /// The number of bytes to send.
    [[nodiscard]] auto size() const noexcept -> std::size_t { return bytes_.size(); }
    /// Exchanges the bytes to send with those of `buffer`, which was sent and is reused.
    void take(std::string& buffer)
    {
        buffer.clear();
        std::swap(buffer, bytes_);
        last_ = none;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr std::size_t preferred_size = 64 * 1024;

    void begin(frame_type type)
    {
        last_ = bytes_.size();
        open_ = type;
        field_writer(bytes_).number(std::uint32_t{0}).number(static_cast<std::uint8_t>(type));
    }
    void end()
    {
        auto const size = static_cast<std::uint32_t>(bytes_.size() - last_ - sizeof(std::uint32_t));
        for (std::size_t byte = 0; byte < sizeof size; ++byte)
            bytes_[last_ + byte] = static_cast<char>(static_cast<unsigned char>(size >> (24U - 8U * byte)));
    }

    std::string bytes_;
    std::size_t last_ = none;
    frame_type open_{};
};

/// Separates received bytes into frames. Its memory is bounded by the maximum size of a frame.
class frame_decoder {
public:
    /// \param max_size  maximum length of a frame, until `set_max_size` is called
    explicit frame_decoder(std::uint32_t max_size = max_hello_size) : max_size_(max_size) {}

    /// Sets the maximum length of further frames.
    void set_max_size(std::uint32_t size) noexcept { max_size_ = size; }

    /// Returns memory for received bytes, never empty. It is valid until the decoder is used again.
    [[nodiscard]] auto prepare() -> std::span<char>
    {
        if (begin_ != 0) {
            bytes_.replace(0, end_ - begin_, bytes_, begin_, end_ - begin_);
            end_ -= std::exchange(begin_, 0);
        }
        std::size_t const wanted = std::max(end_ + read_size, std::min<std::size_t>(announced_, max_size_) + 4);
        if (bytes_.size() < wanted) bytes_.resize(wanted);
        return std::span(bytes_).subspan(end_);
    }
    /// Adds the first `size` bytes of the prepared memory. \pre `size` is at most the size of that memory.
    void commit(std::size_t size) noexcept { end_ += size; }

    /// Removes the next complete frame. \return false if more bytes are needed
    /// \param error  set, with the result false, if the bytes are no frames. Nothing is decoded after that.
    [[nodiscard]] auto next(frame& to, error_code& error) -> bool
    {
        if (broken_) error = broken_;
        announced_ = 0;
        std::string_view const rest = std::string_view(bytes_).substr(begin_, end_ - begin_);
        if (broken_ || rest.size() < sizeof(std::uint32_t)) return false;
        std::size_t const size = field_reader(rest).number<std::uint32_t>();
        if (size == 0 || size > max_size_)
            return fail(error, size == 0 ? remote_errc::protocol_error : remote_errc::frame_too_large);
        if (rest.size() < sizeof(std::uint32_t) + 1) return false;
        auto const type = static_cast<frame_type>(rest[sizeof(std::uint32_t)]);
        if (type < frame_type::hello || type > frame_type::goodbye) return fail(error, remote_errc::protocol_error);
        announced_ = size;
        if (rest.size() < sizeof(std::uint32_t) + size) return false;
        announced_ = 0;
        to = {type, rest.substr(sizeof(std::uint32_t) + 1, size - 1)};
        begin_ += sizeof(std::uint32_t) + size;
        return true;
    }

private:
    static constexpr std::size_t read_size = 16 * 1024;

    auto fail(error_code& error, remote_errc code) -> bool
    {
        broken_ = error = make_error_code(code);
        return false;
    }

    std::string bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t announced_ = 0;  // length of the frame that is incomplete
    std::uint32_t max_size_;
    error_code broken_;
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_FRAME_HPP
