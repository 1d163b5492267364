// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SERVER_REQUEST_HPP
#define IACCTL_SERVER_REQUEST_HPP

#include "users.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::server {

constexpr std::string_view json_type = "application/json";

struct state_request {
    std::string method;
    std::string target;
    std::string content_md5;  ///< the header; empty: there is none
    std::string body;
    caller by;
};

struct reply {
    unsigned status = 200;
    std::string body;
    std::string content_type = "text/plain; charset=utf-8";
    std::map<std::string, std::string> headers = {};
    std::optional<infra::failure> failure = {};  ///< the reason for status 500; not sent to clients
};

/// An error with a text for the client.
[[nodiscard]] auto error_reply(unsigned status, std::string_view text) -> reply;
/// A reply with a JSON document.
[[nodiscard]] auto json_reply(std::string document) -> reply;

/// The two parts of the target of a request.
struct request_target {
    std::string_view path;
    std::string_view query;  ///< without the question mark; empty: there is none

    explicit request_target(std::string_view whole);
};

/// The value of a parameter in a query; empty if there is none.
[[nodiscard]] auto query_parameter(std::string_view query, std::string_view name) -> std::string;
/// The name of a state in the last part of a path; nothing if no state can have it.
[[nodiscard]] auto state_name_in(std::string_view part) -> std::optional<std::string>;

}  // namespace iacctl::server

#endif  // IACCTL_SERVER_REQUEST_HPP
