// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_ACTION_HPP
#define STRIDER_REMOTE_ACTION_HPP

#include <strider/walk/asio.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace strider::remote {

/// One attempt to run an action, at the worker.
class visit_context {
public:
    visit_context() = default;
    /// The context of one attempt. Workers construct it for their actions.
    visit_context(std::string key, std::uint64_t token, std::uint64_t epoch, std::uint32_t attempt)
        : key_(std::move(key)),
          token_(token),
          epoch_(epoch),
          attempt_(attempt)
    {}

    /// The idempotency key of the visit: the same in every attempt. A service that the action calls can recognize a repetition
    /// by it.
    [[nodiscard]] auto key() const noexcept -> std::string const& { return key_; }
    /// The fencing token of this attempt. A later attempt of any visit has a larger one. A storage that refuses tokens smaller
    /// than the largest one it has seen refuses the writes of a worker that was cut off.
    [[nodiscard]] auto fencing_token() const noexcept -> std::uint64_t { return token_; }
    /// The epoch of the session of the worker. A later session of any worker has a larger one.
    [[nodiscard]] auto epoch() const noexcept -> std::uint64_t { return epoch_; }
    /// The number of this attempt, from 1.
    [[nodiscard]] auto attempt() const noexcept -> std::uint32_t { return attempt_; }

private:
    std::string key_;
    std::uint64_t token_ = 0;
    std::uint64_t epoch_ = 0;
    std::uint32_t attempt_ = 1;
};

/// Policy that converts actions and their results to bytes and back. A coordinator needs no more than this.
///
/// - `encode_action(action, to)` and `encode_result(result, to)` append bytes to a string. They may throw; the exception of
///   `encode_action` leaves `async_run`.
/// - `decode_action(bytes)` and `decode_result(bytes)` return an empty optional for bytes that are malformed. An exception means the
///   same.
///
/// All are const and may be called at the same time.
template <class A>
concept action_codec =
    std::move_constructible<typename A::action_type> && std::move_constructible<typename A::result_type>
    && requires(A const& codec, typename A::action_type const& action, typename A::result_type const& result,
        std::string& to, std::string_view bytes) {
           codec.encode_action(action, to);
           codec.encode_result(result, to);
           { codec.decode_action(bytes) } -> std::same_as<std::optional<typename A::action_type>>;
           { codec.decode_result(bytes) } -> std::same_as<std::optional<typename A::result_type>>;
       };

namespace detail {

template <class A>
using run_return_t =
    decltype(std::declval<A&>().run(std::declval<visit_context>(), std::declval<typename A::action_type>()));

template <class A>
concept runs_directly = requires {
    { std::declval<run_return_t<A>>() } -> std::convertible_to<typename A::result_type>;
};
template <class A>
concept runs_as_coroutine = std::same_as<run_return_t<A>, asio::awaitable<typename A::result_type>>;

}  // namespace detail

/// Policy that also runs actions, for workers: `run(visit_context, action)` returns the result, or an
/// `asio::awaitable` of it. An exception is the failure of the action; its text is sent to the coordinator.
///
/// A worker calls `run` once per attempt, for several actions at the same time if it has several slots. Cancellation reaches
/// coroutines, as terminal cancellation; an ordinary function runs to its end.
template <class A>
concept action_policy = action_codec<A> && (detail::runs_directly<A> || detail::runs_as_coroutine<A>);

/// Actions and results that are texts. Derive from it, and add `run`, where no other codec is needed.
struct text_codec {
    /// Actions are bytes.
    using action_type = std::string;
    /// Results are bytes.
    using result_type = std::string;

    /// Appends the bytes of the action.
    void encode_action(std::string const& action, std::string& to) const { to += action; }
    /// Appends the bytes of the result.
    void encode_result(std::string const& result, std::string& to) const { to += result; }
    /// Returns the bytes; every sequence of bytes is an action.
    [[nodiscard]] auto decode_action(std::string_view bytes) const -> std::optional<std::string>
    {
        return std::string(bytes);
    }
    /// Returns the bytes; every sequence of bytes is a result.
    [[nodiscard]] auto decode_result(std::string_view bytes) const -> std::optional<std::string>
    {
        return std::string(bytes);
    }
};

}  // namespace strider::remote

#endif  // STRIDER_REMOTE_ACTION_HPP
