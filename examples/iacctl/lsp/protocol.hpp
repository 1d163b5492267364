// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_PROTOCOL_HPP
#define IACCTL_LSP_PROTOCOL_HPP

#include "base/json.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace iacctl::lsp {

/// Codes of errors in responses.
/// \source JSON-RPC 2.0, 5.1; Language Server Protocol 3.17, ErrorCodes
enum class error_code : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    server_not_initialized = -32002,
    request_failed = -32803,
    request_cancelled = -32800,
};

/// The reason why a request has no result.
struct request_error {
    error_code code = error_code::internal_error;
    std::string text;
};

/// A request, a notification or a response of the client.
struct message {
    std::string id;  ///< as JSON; empty: a notification
    std::string method;  ///< empty: a response
    json params;
};

/// A content that is not a message. The error response has its id, which is null if it could not be read.
struct malformed_message {
    request_error why;
    std::string id = "null";
};

/// Reads the content of a message.
[[nodiscard]] auto parse_message(std::string_view content) -> std::variant<message, malformed_message>;

[[nodiscard]] auto result_message(std::string_view id, std::string_view result) -> std::string;
[[nodiscard]] auto error_message(std::string_view id, request_error const& why) -> std::string;
[[nodiscard]] auto notification_message(std::string_view method, std::string_view params) -> std::string;
[[nodiscard]] auto request_message(std::string_view id, std::string_view method, std::string_view params)
    -> std::string;

/// A content with its header in front.
[[nodiscard]] auto framed(std::string_view content) -> std::string;

/// Splits the bytes from a client into the contents of messages. After an invalid header it continues at the next field
/// Content-Length.
class message_reader {
public:
    /// The maximum length of a content.
    static constexpr std::size_t longest_content = std::size_t{128} << 20U;
    /// The maximum length of a header.
    static constexpr std::size_t longest_header = std::size_t{16} << 10U;

    void add(std::string_view bytes);
    /// The next content, or an error instead of it; nothing if more bytes are needed.
    [[nodiscard]] auto next() -> std::optional<std::variant<std::string, request_error>>;

private:
    auto refuse(std::string text) -> std::variant<std::string, request_error>;

    std::string bytes_;
    std::size_t at_ = 0;  // the number of bytes that were taken
    std::size_t skipped_ = 0;  // the number of bytes to skip, of a content that is too long
    bool lost_ = false;  // skips to the next Content-Length after an invalid header
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_PROTOCOL_HPP
