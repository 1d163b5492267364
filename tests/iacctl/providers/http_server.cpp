// SPDX-License-Identifier: BSL-1.0
#include "http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <mutex>
#include <thread>

namespace providers_test {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

}  // namespace

class http_server::state {
public:
    explicit state(std::function<answer(asked const&)> respond) : respond_(std::move(respond))
    {
        accept();
        runner_ = std::thread([this] { context_.run(); });
    }
    state(state const&) = delete;
    auto operator=(state const&) -> state& = delete;
    ~state()
    {
        context_.stop();
        runner_.join();
        for (std::thread& one : talks_) one.join();
    }

    [[nodiscard]] auto url() const -> std::string
    {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }
    [[nodiscard]] auto log() -> std::vector<std::string>
    {
        std::lock_guard const hold(mutex_);
        return log_;
    }

private:
    void accept()
    {
        acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
            if (error) return;
            talks_.emplace_back([this, s = std::move(socket)]() mutable { talk(std::move(s)); });
            accept();
        });
    }

    void talk(tcp::socket socket)
    {
        boost::system::error_code error;
        boost::beast::flat_buffer buffer;
        http::request<http::string_body> request;
        http::read(socket, buffer, request, error);
        if (error) return;
        asked question;
        question.method = std::string(request.method_string());
        question.target = std::string(request.target());
        for (auto const& field : request)
            question.headers[std::string(field.name_string())] = std::string(field.value());
        question.body = request.body();
        answer said;
        {
            std::lock_guard const hold(mutex_);
            log_.push_back(question.method + " " + question.target);
            said = respond_(question);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(said.delay_ms));
        if (said.hangs_up) return;
        http::response<http::string_body> response(static_cast<http::status>(said.status), 11);
        for (auto const& [name, text] : said.headers) response.set(name, text);
        response.keep_alive(false);
        if (question.method == "HEAD") response.content_length(said.body.size());
        else {
            response.body() = said.body;
            response.prepare_payload();
        }
        http::write(socket, response, error);
        socket.shutdown(tcp::socket::shutdown_both, error);
    }

    std::function<answer(asked const&)> respond_;
    asio::io_context context_{1};
    tcp::acceptor acceptor_{context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
    std::mutex mutex_;
    std::vector<std::string> log_;
    std::vector<std::thread> talks_;  // grows in the runner's thread only
    std::thread runner_;
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

auto dead_url() -> std::string
{
    asio::io_context context;
    tcp::acceptor const once(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    return "http://127.0.0.1:" + std::to_string(once.local_endpoint().port());
}

}  // namespace providers_test
