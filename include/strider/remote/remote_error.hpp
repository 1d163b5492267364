// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_REMOTE_REMOTE_ERROR_HPP
#define STRIDER_REMOTE_REMOTE_ERROR_HPP

#include <strider/walk/asio.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace strider::remote {

/// Errors of visits that run on workers, and of the sessions of workers.
enum class remote_errc : std::uint8_t {
    action_failed = 1,     ///< the action ran and failed; `reply::message` has its text
    outcome_unknown,  ///< the session was lost after the visit was sent: the action ran once, in part, or not at all
    malformed_action,  ///< the worker cannot decode the action
    malformed_result,  ///< the coordinator cannot decode the result; the action ran
    message_too_large,  ///< an action or a result exceeds the maximum size of a frame
    no_worker,  ///< no worker accepted the labels of the visit for the permitted time
    draining,  ///< the coordinator accepts no new visit
    protocol_error,  ///< the peer sent bytes that the protocol does not permit
    frame_too_large,  ///< the peer announced a frame that exceeds the maximum size
    incompatible_version,  ///< the peers have no common version of the protocol
    wrong_application,  ///< coordinator and worker belong to different applications
    not_authorized,  ///< the worker's credential is not that of the coordinator
    timed_out,  ///< nothing was received, or nothing could be sent, for the timeout of the session
    connection_lost,  ///< the connection ended without a goodbye
};

/// The category of `remote_errc`. `remote_errc::timed_out` is equivalent to `errc::timed_out`.
[[nodiscard]] inline auto remote_category() noexcept -> boost::system::error_category const&
{
    class category final : public boost::system::error_category {
    public:
        [[nodiscard]] auto name() const noexcept -> char const* override { return "strider.remote"; }
        [[nodiscard]] auto message(int value) const -> std::string override
        {
            switch (static_cast<remote_errc>(value)) {
            case remote_errc::action_failed: return "the action failed";
            case remote_errc::outcome_unknown: return "the worker was lost: the outcome of the action is unknown";
            case remote_errc::malformed_action: return "the worker cannot decode the action";
            case remote_errc::malformed_result: return "the result of the action cannot be decoded";
            case remote_errc::message_too_large: return "the action or its result exceeds the maximum size of a frame";
            case remote_errc::no_worker: return "no worker accepts the labels of the visit";
            case remote_errc::draining: return "the coordinator is draining and accepts no new visit";
            case remote_errc::protocol_error: return "the peer violated the protocol";
            case remote_errc::frame_too_large: return "the peer announced a frame that exceeds the maximum size";
            case remote_errc::incompatible_version: return "the peers have no common version of the protocol";
            case remote_errc::wrong_application: return "coordinator and worker belong to different applications";
            case remote_errc::not_authorized: return "the coordinator does not accept the credential of the worker";
            case remote_errc::timed_out: return "the peer sent or received no data for too long";
            case remote_errc::connection_lost: return "the connection ended without a goodbye";
            }
            return "unknown error of a remote visit";
        }
        [[nodiscard]] auto default_error_condition(int value) const noexcept -> boost::system::error_condition override
        {
            if (static_cast<remote_errc>(value) != remote_errc::timed_out) return {value, *this};
            return make_error_condition(boost::system::errc::timed_out);
        }
    };
    static category const instance;
    return instance;
}

/// Makes an error code of `remote_category`.
[[nodiscard]] inline auto make_error_code(remote_errc code) noexcept -> error_code
{
    return {static_cast<int>(code), remote_category()};
}

}  // namespace strider::remote

/// \cond
template <>
struct boost::system::is_error_code_enum<strider::remote::remote_errc> : std::true_type {};
/// \endcond

#endif  // STRIDER_REMOTE_REMOTE_ERROR_HPP
