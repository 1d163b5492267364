// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_MESSAGES_HPP
#define STRIDER_REMOTE_MESSAGES_HPP

#include <strider/remote/fields.hpp>
#include <strider/remote/frame.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strider::remote {

/// The first bytes of the first frame of both peers.
inline constexpr std::string_view protocol_magic = "strider\x1a";
/// The oldest version of the protocol of this library.
inline constexpr std::uint16_t oldest_protocol_version = 1;
/// The newest version of the protocol of this library.
inline constexpr std::uint16_t newest_protocol_version = 1;

/// First message of a worker. Magic and versions have the same place in every version of the protocol.
struct hello_message {
    /// The oldest version of the protocol that the worker speaks.
    std::uint16_t oldest_version = oldest_protocol_version;
    /// The newest version of the protocol that the worker speaks.
    std::uint16_t newest_version = newest_protocol_version;
    /// The name of the application; both sides must have the same.
    std::string application;
    /// The secret; it must equal that of the coordinator, which is empty by default.
    std::string credential;
    /// The name of the worker in events and errors.
    std::string worker;
    /// The number of actions that the worker runs at once; a message with 0 is malformed.
    std::uint32_t slots = 1;
    /// The labels of the worker, for placement, in any order.
    std::vector<std::string> labels;

    /// Appends the message to `to`.
    void encode(std::string& to) const
    {
        field_writer out(to);
        out.bytes(protocol_magic).number(oldest_version).number(newest_version);
        out.text(application).text(credential).text(worker).number(slots);
        out.number(static_cast<std::uint32_t>(labels.size()));
        for (std::string const& label : labels) out.text(label);
    }
    /// Returns the message, or nothing if the bytes are none. For a version that this library does not have, only the versions are set.
    [[nodiscard]] static auto decode(std::string_view bytes) -> std::optional<hello_message>
    {
        field_reader in(bytes);
        if (in.bytes(protocol_magic.size()) != protocol_magic) return std::nullopt;
        hello_message m;
        m.oldest_version = in.number<std::uint16_t>();
        m.newest_version = in.number<std::uint16_t>();
        if (!in.ok() || m.oldest_version > m.newest_version) return std::nullopt;
        if (!m.common_version()) return m;
        m.application = in.text();
        m.credential = in.text();
        m.worker = in.text();
        m.slots = in.number<std::uint32_t>();
        for (auto count = in.number<std::uint32_t>(); count > 0 && in.ok(); --count) m.labels.emplace_back(in.text());
        if (!in.at_end() || m.slots == 0) return std::nullopt;
        return m;
    }
    /// Returns the newest version that both peers have.
    [[nodiscard]] auto common_version() const noexcept -> std::optional<std::uint16_t>
    {
        std::uint16_t const version =
            newest_version < newest_protocol_version ? newest_version : newest_protocol_version;
        if (version < oldest_version || version < oldest_protocol_version) return std::nullopt;
        return version;
    }
};

/// Answer of the coordinator to the first message of a worker.
struct welcome_message {
    /// The version of the protocol that the coordinator has chosen.
    std::uint16_t version = newest_protocol_version;
    /// The epoch of the session, never 0: answers of another epoch are refused.
    std::uint64_t epoch = 0;
    /// The interval of the heartbeats.
    std::chrono::milliseconds heartbeat{};
    /// The time after which a peer that sends nothing, or receives nothing, counts as lost. Longer than `heartbeat`.
    std::chrono::milliseconds timeout{};
    /// The maximum length of later frames in both directions, in bytes. At least `max_hello_size`.
    std::uint32_t max_frame_size = default_max_frame_size;

    /// Appends the message to `to`.
    void encode(std::string& to) const
    {
        field_writer(to)
            .bytes(protocol_magic)
            .number(version)
            .number(epoch)
            .number(static_cast<std::uint32_t>(heartbeat.count()))
            .number(static_cast<std::uint32_t>(timeout.count()))
            .number(max_frame_size);
    }
    /// Returns the message, or nothing if the bytes are none.
    [[nodiscard]] static auto decode(std::string_view bytes) -> std::optional<welcome_message>
    {
        field_reader in(bytes);
        if (in.bytes(protocol_magic.size()) != protocol_magic) return std::nullopt;
        welcome_message m;
        m.version = in.number<std::uint16_t>();
        m.epoch = in.number<std::uint64_t>();
        m.heartbeat = std::chrono::milliseconds(in.number<std::uint32_t>());
        m.timeout = std::chrono::milliseconds(in.number<std::uint32_t>());
        m.max_frame_size = in.number<std::uint32_t>();
        bool const sound = in.at_end() && m.version >= oldest_protocol_version && m.version <= newest_protocol_version
            && m.heartbeat.count() > 0 && m.timeout > m.heartbeat && m.max_frame_size >= max_hello_size;
        if (!sound) return std::nullopt;
        return m;
    }
};

/// A visit in a frame `visits`. The texts refer to the frame.
struct visit_message {
    /// Identifies the attempt; its answer has the same token.
    std::uint64_t token = 0;
    /// The number of the attempt, from 1 on.
    std::uint32_t attempt = 1;
    /// The idempotency key; it is the same for all attempts of a visit.
    std::string_view key;
    /// The bytes of the action.
    std::string_view action;

    /// The size of a visit without its texts.
    static constexpr std::size_t overhead = 8 + 4 + 4 + 4;

    /// Appends the message to `to`.
    void encode(std::string& to) const { field_writer(to).number(token).number(attempt).text(key).text(action); }
    /// Reads one message. \return false if the bytes are none
    [[nodiscard]] auto decode(field_reader& in) noexcept -> bool
    {
        token = in.number<std::uint64_t>();
        attempt = in.number<std::uint32_t>();
        key = in.text();
        action = in.text();
        return in.ok();
    }
};

/// The end of a visit at a worker.
enum class answer_status : std::uint8_t {
    done,  ///< the payload is the result
    failed,  ///< the payload is a text
    malformed,  ///< the worker cannot decode the action; nothing ran
    too_large,  ///< the action ran, and its result exceeds the maximum size of a frame
    cancelled,  ///< the action was cancelled
    not_started,  ///< the worker returns the visit; nothing ran
};

/// An answer in a frame `answers`. The payload refers to the frame.
struct answer_message {
    /// The epoch of the session in which the worker received the visit.
    std::uint64_t epoch = 0;
    /// The token of the visit.
    std::uint64_t token = 0;
    /// The kind of the answer.
    answer_status status = answer_status::done;
    /// The duration of the action on the worker; 0 if it did not run.
    std::chrono::nanoseconds duration{};
    /// The bytes of the result, or the text of the failure; empty for other statuses.
    std::string_view payload;

    /// The size of an answer without its payload.
    static constexpr std::size_t overhead = 8 + 8 + 1 + 8 + 4;

    /// Appends the message to `to`.
    void encode(std::string& to) const
    {
        field_writer(to)
            .number(epoch)
            .number(token)
            .number(static_cast<std::uint8_t>(status))
            .number(static_cast<std::uint64_t>(duration.count()))
            .text(payload);
    }
    /// Reads one message. \return false if the bytes are none
    [[nodiscard]] auto decode(field_reader& in) noexcept -> bool
    {
        epoch = in.number<std::uint64_t>();
        token = in.number<std::uint64_t>();
        auto const end = in.number<std::uint8_t>();
        auto const taken = in.number<std::uint64_t>();
        payload = in.text();
        if (end > static_cast<std::uint8_t>(answer_status::not_started) || taken > max_duration) return false;
        status = static_cast<answer_status>(end);
        duration = std::chrono::nanoseconds(static_cast<std::int64_t>(taken));
        return in.ok();
    }

private:
    static constexpr std::uint64_t max_duration = std::uint64_t{1} << 62U;
};

/// The reason for which a coordinator rejects a worker.
struct rejection_message {
    /// `protocol_error`, `incompatible_version`, `wrong_application`, `not_authorized` or `draining`; no other is decoded.
    remote_errc reason = remote_errc::protocol_error;

    /// Appends the message to `to`.
    void encode(std::string& to) const
    {
        field_writer(to).bytes(protocol_magic).number(static_cast<std::uint8_t>(reason));
    }
    /// Returns the message, or nothing if the bytes are none.
    [[nodiscard]] static auto decode(std::string_view bytes) -> std::optional<rejection_message>
    {
        static constexpr std::array reasons{remote_errc::protocol_error, remote_errc::incompatible_version,
            remote_errc::wrong_application, remote_errc::not_authorized, remote_errc::draining};
        field_reader in(bytes);
        if (in.bytes(protocol_magic.size()) != protocol_magic) return std::nullopt;
        auto const reason = in.number<std::uint8_t>();
        for (remote_errc const known : reasons)
            if (in.at_end() && reason == static_cast<std::uint8_t>(known)) return rejection_message{known};
        return std::nullopt;
    }
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_MESSAGES_HPP
