// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LSP_PROTOCOL_HPP
#define IACCTL_LSP_PROTOCOL_HPP

#include "support/json.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace iacctl::lsp {

/// Codes of errors in answers.
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

/// A request, a notification or an answer of the client.
struct message {
    std::string id;  ///< as JSON; empty: a notification
    std::string method;  ///< empty: an answer
    json params;
};

/// A content that is no message. It is answered under the id, which is null if it could not be read.
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

/// A content with its header.
[[nodiscard]] auto framed(std::string_view content) -> std::string;

/// Divides the bytes of a client into the contents of messages. Behind a header that cannot be read it continues with the next
/// field Content-Length.
class message_reader {
public:
    /// No content may be longer.
    static constexpr std::size_t longest_content = std::size_t{128} << 20U;
    /// No header may be longer.
    static constexpr std::size_t longest_header = std::size_t{16} << 10U;

    void add(std::string_view bytes);
    /// The next content, or the problem in its place; nothing: more bytes are needed.
    [[nodiscard]] auto next() -> std::optional<std::variant<std::string, request_error>>;

private:
    auto refuse(std::string text) -> std::variant<std::string, request_error>;

    std::string bytes_;
    std::size_t at_ = 0;  // the bytes before it were taken
    std::size_t skipped_ = 0;  // as many bytes more belong to a content that is too long
    bool lost_ = false;  // the bytes up to the next Content-Length belong to a header that was refused
};

}  // namespace iacctl::lsp

#endif  // IACCTL_LSP_PROTOCOL_HPP
