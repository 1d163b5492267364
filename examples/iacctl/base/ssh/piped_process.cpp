// SPDX-License-Identifier: BSL-1.0
#include "piped_process.hpp"

#include "base/last_error.hpp"
#include "base/memory_file.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>
#include <utility>

namespace iacctl::ssh {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t longest_errors = std::size_t{1} << 20U;

/// Cancels the operations of a stream at a time, while it exists.
class deadline_guard {
public:
    deadline_guard(asio::posix::stream_descriptor& stream, piped_process::clock::time_point at)
        : of_(std::make_shared<watched>(watched{&stream})),
          timer_(stream.get_executor())
    {
        if (at == piped_process::clock::time_point::max()) return;
        timer_.expires_at(at);
        timer_.async_wait([of = of_](error_code const& cancelled) {
            if (cancelled || of->stream == nullptr) return;
            of->expired = true;
            of->stream->cancel();
        });
    }
    deadline_guard(deadline_guard const&) = delete;
    auto operator=(deadline_guard const&) -> deadline_guard& = delete;
    // The handler may be queued already.
    ~deadline_guard() { of_->stream = nullptr; }

    [[nodiscard]] auto has_expired() const noexcept -> bool { return of_->expired; }

private:
    struct watched {
        asio::posix::stream_descriptor* stream;
        bool expired = false;
    };

    std::shared_ptr<watched> of_;
    asio::steady_timer timer_;
};

}  // namespace

piped_process::piped_process(process child, stream input, stream output, file_descriptor errors)
    : child_(std::move(child)),
      input_(std::move(input)),
      output_(std::move(output)),
      errors_(std::move(errors))
{}

auto piped_process::start(asio::any_io_executor const& executor, process_command const& command)
    -> boost::system::result<piped_process>
{
    std::array<int, 2> to{};
    if (::pipe2(to.data(), O_CLOEXEC) != 0) return last_error();
    file_descriptor const its_input(to[0]);
    file_descriptor input(to[1]);
    std::array<int, 2> from{};
    if (::pipe2(from.data(), O_CLOEXEC) != 0) return last_error();
    file_descriptor output(from[0]);
    file_descriptor const its_output(from[1]);
    file_descriptor errors = bounded_memory_file(longest_errors);
    if (!errors) return last_error();
    auto started = process::start(command, {its_input.get(), its_output.get(), errors.get()});
    if (!started) return started.error();
    return piped_process(
        std::move(*started), stream(executor, input.release()), stream(executor, output.release()), std::move(errors));
}

auto piped_process::read_some(asio::mutable_buffer into, clock::time_point deadline) -> task<received>
{
    deadline_guard const limited(output_, deadline);
    auto token = asio::as_tuple(asio::use_awaitable);
    auto reading = output_.async_read_some(into, token);
    auto const [error, size] = co_await std::move(reading);
    co_return received{limited.has_expired() ? error_code(asio::error::timed_out) : error, size};
}

auto piped_process::write(std::string_view text) -> task<error_code>
{
    auto token = asio::as_tuple(asio::use_awaitable);
    auto writing = asio::async_write(input_, asio::buffer(text), token);
    auto const [error, size] = co_await std::move(writing);
    co_return error;
}

void piped_process::close_input() noexcept
{
    error_code ignored;
    input_.close(ignored);
}

auto piped_process::end() -> int
{
    child_.signal(SIGKILL);
    return child_.reap();
}

auto piped_process::errors() const -> std::string
{
    return content_of(errors_);
}

}  // namespace iacctl::ssh
