// SPDX-License-Identifier: BSL-1.0
#include "connection.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

namespace iacctl::postgres {

namespace asio = boost::asio;

namespace {

constexpr char const* lost = "08006";  // connection_failure

struct free_options {
    void operator()(PQconninfoOption* all) const { pq_library::instance().conninfoFree(all); }
};
using options = std::unique_ptr<PQconninfoOption, free_options>;

auto read(options const& from) -> std::map<std::string, std::string>
{
    std::map<std::string, std::string> all;
    for (auto const* one = from.get(); one != nullptr && one->keyword != nullptr; ++one)
        if (one->val != nullptr) all.emplace(one->keyword, one->val);
    return all;
}

// Joins a message of libpq, which ends with a newline and may have several lines.
auto one_line(std::string_view text) -> std::string
{
    std::string out(text.substr(0, text.find_last_not_of(" \n") + 1));
    for (std::size_t at = 0; (at = out.find('\n', at)) != std::string::npos;) {
        auto const next = out.find_first_not_of(" \t\n", at);
        out.replace(at, next - at, "; ");
    }
    return out;
}

}  // namespace

auto error::is_loss() const noexcept -> bool
{
    // Class 08: connection exceptions; 57P0x: the server ends the connection.
    return state_.starts_with("08") || state_.starts_with("57P0");
}

connection_settings::connection_settings(std::string const& connection_string)
{
    pq_library const& pq = pq_library::instance();
    if (!pq.error().empty()) throw error(pq.error(), {});
    defaults_ = read(options(pq.conndefaults()));
    if (connection_string.empty()) return;
    options const parsed(pq.conninfoParse(connection_string.c_str(), nullptr));
    // The message of libpq may contain a part of the password.
    if (!parsed) throw error("the connection string is neither a URI nor a list of keywords and values", {});
    given_ = read(parsed);
}

auto connection_settings::value_of(std::string const& keyword) const -> std::string
{
    for (auto const* from : {&given_, &defaults_})
        if (auto const found = from->find(keyword); found != from->end() && !found->second.empty())
            return found->second;
    return {};
}

auto connection_settings::place() const -> std::string
{
    std::string const host = value_of("host").empty() ? value_of("hostaddr") : value_of("host");
    std::string const port = value_of("port");
    std::string const database = value_of("dbname").empty() ? value_of("user") : value_of("dbname");
    std::string shown = host.empty() ? "localhost" : host;
    if (!port.empty()) shown += ":" + port;
    return without_password("postgres://" + shown + "/" + database);
}

auto connection_settings::without_password(std::string text) const -> std::string
{
    for (char const* keyword : {"password", "sslpassword"}) {
        std::string const secret = value_of(keyword);
        if (secret.empty()) continue;
        for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += 3)
            text.replace(at, secret.size(), "***");
    }
    return text;
}

struct connection::impl {
    using clock = std::chrono::steady_clock;
    using wait_type = asio::posix::stream_descriptor::wait_type;

    explicit impl(connection_settings settings) : settings(std::move(settings)) {}
    ~impl() { close(); }

    void close()
    {
        if (socket.is_open()) socket.release();
        if (handle != nullptr) pq.finish(std::exchange(handle, nullptr));
    }

    // Runs a coroutine to its end on this thread.
    template <class T>
    auto run(asio::awaitable<T> work) -> T
    {
        std::exception_ptr thrown;
        std::optional<T> result;
        auto done = [&](std::exception_ptr failed, T made) {
            thrown = std::move(failed);
            result.emplace(std::move(made));
        };
        asio::co_spawn(context, std::move(work), std::move(done));
        context.restart();
        context.run();
        if (thrown) std::rethrow_exception(thrown);
        return std::move(*result);
    }

    // True if the socket is ready, false on timeout.
    auto wait(wait_type type, clock::duration longest) -> asio::awaitable<bool>
    {
        asio::steady_timer timer(context, longest);
        bool expired = false;
        bool waiting = true;
        auto give_up = [&](boost::system::error_code const& cancelled) {
            if (cancelled || !waiting) return;
            expired = true;
            socket.cancel();
        };
        timer.async_wait(give_up);
        boost::system::error_code failed;
        auto ready = socket.async_wait(type, asio::redirect_error(asio::use_awaitable, failed));
        co_await std::move(ready);
        waiting = false;
        if (!expired) timer.cancel();
        // The handler of the timer refers to this frame. This makes it run before any coroutine of this context
        // continues.
        auto settled = asio::post(context, asio::use_awaitable);
        co_await std::move(settled);
        co_return !expired;
    }

    auto connect() -> asio::awaitable<bool>
    {
        std::vector<char const*> keywords;
        std::vector<char const*> values;
        for (auto const& [keyword, value] : settings.given()) {
            keywords.push_back(keyword.c_str());
            values.push_back(value.c_str());
        }
        // A lost peer is detected within half a minute, unless the settings specify otherwise.
        std::pair<char const*, char const*> const usual[]{{"fallback_application_name", "iacctl"},
            {"client_encoding", "UTF8"}, {"keepalives_idle", "15"}, {"keepalives_interval", "5"},
            {"keepalives_count", "3"}, {"tcp_user_timeout", "30000"}};
        for (auto const& [keyword, value] : usual) {
            if (settings.given().contains(keyword)) continue;
            keywords.push_back(keyword);
            values.push_back(value);
        }
        keywords.push_back(nullptr);
        values.push_back(nullptr);
        handle = pq.connectStartParams(keywords.data(), values.data(), 0);
        if (handle == nullptr) throw std::bad_alloc();
        pq.setNoticeProcessor(handle, [](void*, char const*) {}, nullptr);

        std::string const seconds = settings.value_of("connect_timeout");
        auto const longest = seconds.empty() || seconds == "0"
            ? longest_attempt
            : std::chrono::seconds(std::max(std::atoi(seconds.c_str()), 2));
        auto const deadline = clock::now() + longest;
        auto next = PGRES_POLLING_WRITING;
        while (pq.status(handle) != CONNECTION_BAD && next != PGRES_POLLING_OK && next != PGRES_POLLING_FAILED) {
            // The socket may change after each step.
            socket.assign(pq.socket(handle));
            auto const what = next == PGRES_POLLING_READING ? wait_type::wait_read : wait_type::wait_write;
            auto waiting = wait(what, std::max<clock::duration>(deadline - clock::now(), clock::duration(0)));
            bool const ready = co_await std::move(waiting);
            socket.release();
            if (!ready) throw error("the server did not answer within " + std::to_string(longest.count()) + " s", lost);
            next = pq.connectPoll(handle);
        }
        if (pq.status(handle) != CONNECTION_OK) throw failure();
        pq.setnonblocking(handle, 1);
        socket.assign(pq.socket(handle));
        co_return true;
    }

    auto send(std::string const& statement, parameters const* p) -> asio::awaitable<bool>
    {
        std::vector<char const*> values;
        if (p != nullptr)
            for (auto const& one : p->values()) values.push_back(one ? one->c_str() : nullptr);
        int const sent = p == nullptr ? pq.sendQuery(handle, statement.c_str())
                                      : pq.sendQueryParams(handle, statement.c_str(), static_cast<int>(values.size()),
                                            nullptr, values.data(), nullptr, nullptr, 0);
        if (sent == 0) throw failure();
        constexpr std::chrono::milliseconds between_reads{50};
        auto silent_since = clock::now();
        for (;;) {
            int const left = pq.flush(handle);
            if (left == 0) co_return true;
            if (left < 0 || clock::now() - silent_since > longest_silence) throw failure();
            auto waiting = wait(wait_type::wait_write, between_reads);
            bool const ready = co_await std::move(waiting);
            if (ready) silent_since = clock::now();
            // A server that waits for its messages to be read does not read any more.
            else if (pq.consumeInput(handle) == 0) throw failure();
        }
    }

    auto receive() -> asio::awaitable<result_set>
    {
        std::optional<result_set> last;
        std::optional<error> refused;
        for (;;) {
            while (pq.isBusy(handle) != 0) {
                auto waiting = wait(wait_type::wait_read, longest_silence);
                bool const ready = co_await std::move(waiting);
                if (!ready || pq.consumeInput(handle) == 0) throw failure();
            }
            PGresult* const got = pq.getResult(handle);
            if (got == nullptr) break;
            last.emplace(got);
            auto const status = pq.resultStatus(got);
            if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || refused) continue;
            char const* const state = pq.resultErrorField(got, PG_DIAG_SQLSTATE);
            char const* const message = pq.resultErrorField(got, PG_DIAG_MESSAGE_PRIMARY);
            refused.emplace(shown(message != nullptr ? message : pq.resultErrorMessage(got)),
                state != nullptr ? state : std::string(lost));
        }
        if (refused) throw *refused;
        if (pq.status(handle) != CONNECTION_OK || !last) throw failure();
        co_return std::move(*last);
    }

    auto ask(std::string const& statement, parameters const* p) -> asio::awaitable<result_set>
    {
        if (is_lost) throw error("the connection to the server was lost", lost);
        auto sending = send(statement, p);
        co_await std::move(sending);
        auto receiving = receive();
        auto rows = co_await std::move(receiving);
        co_return rows;
    }

    [[nodiscard]] auto shown(char const* message) const -> std::string
    {
        return settings.without_password(one_line(message));
    }
    // The connection cannot be used after it.
    [[nodiscard]] auto failure() -> error
    {
        is_lost = true;
        std::string message = shown(pq.errorMessage(handle));
        return {message.empty() ? "the connection to the server was lost" : message, lost};
    }

    pq_library const& pq = pq_library::instance();
    connection_settings settings;
    asio::io_context context{1};
    asio::posix::stream_descriptor socket{context};
    PGconn* handle = nullptr;
    bool is_lost = false;
};

connection::connection(connection_settings settings) : impl_(std::make_unique<impl>(std::move(settings)))
{
    impl_->run(impl_->connect());
}

connection::connection(connection&&) noexcept = default;
auto connection::operator=(connection&&) noexcept -> connection& = default;
connection::~connection() = default;

auto connection::query(std::string const& statement, parameters const& p) -> result_set
{
    return impl_->run(impl_->ask(statement, &p));
}

void connection::execute(std::string const& statements)
{
    (void)impl_->run(impl_->ask(statements, nullptr));
}

auto connection::is_lost() const -> bool
{
    return impl_->is_lost;
}

auto connection::server_process() const -> int
{
    return impl_->pq.backendPID(impl_->handle);
}

}  // namespace iacctl::postgres
