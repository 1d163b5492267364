// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PROVIDERS_HTTP_SERVER_HPP
#define STRIDER_TESTS_IACCTL_PROVIDERS_HTTP_SERVER_HPP

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace providers_test {

struct asked {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers;
    std::string body;
};

struct answer {
    unsigned status = 200;
    std::string body = {};
    std::map<std::string, std::string> headers = {};
    int delay_ms = 0;
    bool hangs_up = false;  ///< closes the connection instead of answering
    std::string raw = {};   ///< sent instead of all members above; then the connection ends
};

/// A server on a free port of this machine. A function gives its answers. It keeps connections open.
class http_server {
public:
    explicit http_server(std::function<answer(asked const&)> respond);
    http_server(http_server const&) = delete;
    auto operator=(http_server const&) -> http_server& = delete;
    ~http_server();

    /// "http://127.0.0.1:43210"
    [[nodiscard]] auto url() const -> std::string;
    /// The requests so far: "GET /path".
    [[nodiscard]] auto log() const -> std::vector<std::string>;
    /// The number of connections so far.
    [[nodiscard]] auto connections() const -> std::size_t;

private:
    class state;
    std::unique_ptr<state> state_;
};

/// A URL on this machine at which no server listens.
[[nodiscard]] auto dead_url() -> std::string;

}  // namespace providers_test

#endif  // STRIDER_TESTS_IACCTL_PROVIDERS_HTTP_SERVER_HPP
