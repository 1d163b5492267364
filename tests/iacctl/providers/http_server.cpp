// SPDX-License-Identifier: BSL-1.0
#include "http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace providers_test {

namespace {

// A socket on a free port of this machine.
auto bound_socket() -> int
{
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(socket, reinterpret_cast<sockaddr const*>(&at), sizeof at) != 0) throw std::runtime_error("bind");
    return socket;
}

auto url_of(int socket) -> std::string
{
    sockaddr_in at{};
    socklen_t size = sizeof at;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
    return "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port));
}

auto send_all(int socket, std::string_view text) -> bool
{
    while (!text.empty()) {
        ssize_t const sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

/// Reads the requests of one connection.
class request_reader {
public:
    explicit request_reader(int socket) : socket_(socket) {}

    [[nodiscard]] auto next() -> std::optional<asked>
    {
        std::size_t end = 0;
        while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
            if (!fill()) return std::nullopt;
        asked question;
        std::string_view head = std::string_view(buffer_).substr(0, end);
        std::string_view const first = line_of(head);
        auto const target = first.find(' ') + 1;
        question.method = first.substr(0, target - 1);
        question.target = first.substr(target, first.rfind(' ') - target);
        while (!head.empty()) {
            std::string_view const line = line_of(head);
            auto const colon = line.find(':');
            question.headers[std::string(line.substr(0, colon))] = line.substr(std::min(colon + 2, line.size()));
        }
        auto const length = question.headers.find("Content-Length");
        std::size_t const size = length == question.headers.end() ? 0 : std::stoul(length->second);
        buffer_.erase(0, end + 4);
        while (buffer_.size() < size)
            if (!fill()) return std::nullopt;
        question.body = buffer_.substr(0, size);
        buffer_.erase(0, size);
        return question;
    }

private:
    static auto line_of(std::string_view& text) -> std::string_view
    {
        auto const end = std::min(text.find("\r\n"), text.size());
        std::string_view const line = text.substr(0, end);
        text.remove_prefix(std::min(end + 2, text.size()));
        return line;
    }
    auto fill() -> bool
    {
        std::array<char, 4096> piece{};
        ssize_t const got = ::recv(socket_, piece.data(), piece.size(), 0);
        if (got > 0) buffer_.append(piece.data(), static_cast<std::size_t>(got));
        return got > 0;
    }

    int socket_;
    std::string buffer_;
};

auto text_of(answer const& said, bool head) -> std::string
{
    if (!said.raw.empty()) return said.raw;
    std::string text = "HTTP/1.1 " + std::to_string(said.status) + " Some Reason\r\n";
    for (auto const& [name, of] : said.headers) text += name + ": " + of + "\r\n";
    text += "Content-Length: " + std::to_string(said.body.size()) + "\r\n\r\n";
    return head ? text : text + said.body;
}

}  // namespace

class http_server::state {
public:
    explicit state(std::function<answer(asked const&)> respond) : respond_(std::move(respond))
    {
        ::listen(listener_, 128);
        accepting_ = std::thread([this] { accept(); });
    }
    state(state const&) = delete;
    auto operator=(state const&) -> state& = delete;
    ~state()
    {
        {
            std::lock_guard const hold(mutex_);
            stopping_ = true;
            ::shutdown(listener_, SHUT_RDWR);
            for (int const one : sockets_) ::shutdown(one, SHUT_RDWR);
        }
        stopped_.notify_all();
        accepting_.join();
        for (std::thread& one : talks_) one.join();
        for (int const one : sockets_) ::close(one);
        ::close(listener_);
    }

    [[nodiscard]] auto url() const -> std::string { return url_of(listener_); }
    [[nodiscard]] auto log() -> std::vector<std::string>
    {
        std::lock_guard const hold(mutex_);
        return log_;
    }
    [[nodiscard]] auto connections() -> std::size_t
    {
        std::lock_guard const hold(mutex_);
        return sockets_.size();
    }

private:
    void accept()
    {
        for (;;) {
            int const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            std::lock_guard const hold(mutex_);
            if (stopping_ && socket >= 0) ::close(socket);
            if (stopping_ || socket < 0) return;
            sockets_.push_back(socket);
            talks_.emplace_back([this, socket] { talk(socket); });
        }
    }

    void talk(int socket)
    {
        request_reader reader(socket);
        while (auto const question = reader.next()) {
            answer said;
            {
                std::unique_lock hold(mutex_);
                log_.push_back(question->method + " " + question->target);
                said = respond_(*question);
                stopped_.wait_for(hold, std::chrono::milliseconds(said.delay_ms), [this] { return stopping_; });
                if (stopping_) return;
            }
            if (said.hangs_up || !send_all(socket, text_of(said, question->method == "HEAD"))) break;
            auto const connection = said.headers.find("Connection");
            if (!said.raw.empty() || (connection != said.headers.end() && connection->second == "close")) break;
        }
        ::shutdown(socket, SHUT_RDWR);
    }

    std::function<answer(asked const&)> respond_;
    int listener_ = bound_socket();
    std::mutex mutex_;
    std::condition_variable stopped_;
    bool stopping_ = false;
    std::vector<std::string> log_;
    std::vector<int> sockets_;
    std::vector<std::thread> talks_;  // grows in the accepting thread only
    std::thread accepting_;
};

http_server::http_server(std::function<answer(asked const&)> respond)
    : state_(std::make_unique<state>(std::move(respond)))
{}

http_server::~http_server() = default;

auto http_server::url() const -> std::string
{
    return state_->url();
}

auto http_server::log() const -> std::vector<std::string>
{
    return state_->log();
}

auto http_server::connections() const -> std::size_t
{
    return state_->connections();
}

auto dead_url() -> std::string
{
    int const once = bound_socket();
    std::string const url = url_of(once);
    ::close(once);
    return url;
}

}  // namespace providers_test
