// SPDX-License-Identifier: BSL-1.0
#include "plugin_process.hpp"

#include "base/file_descriptor.hpp"
#include "base/last_error.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>
#include <vector>

namespace iacctl::plugin {

namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr std::size_t most_lines = 20;
constexpr std::size_t longest_shown_line = 500;
constexpr std::size_t longest_line = std::size_t{64} << 10U;  // a longer line is split
// A provider writes one or two lines per call: without a log, one read handles those of many calls.
constexpr milliseconds rest_without_log{10};
constexpr milliseconds last_words{200};  // the time to read the output of a program that has ended

struct pipe_ends {
    file_descriptor reading;
    file_descriptor writing;
};

auto make_pipe() -> boost::system::result<pipe_ends>
{
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return last_error();
    return pipe_ends{file_descriptor(pipe[0]), file_descriptor(pipe[1])};
}

// Returns whether a record is irrelevant both for a message about a crash and without a log. A parse as JSON would take
// longer than a call.
auto is_detail(std::string_view line) -> bool
{
    static constexpr std::string_view before = "\"@level\":\"";
    auto const found = line.starts_with('{') ? line.find(before) : line.npos;
    if (found == line.npos) return false;
    std::string_view const level = line.substr(found + before.size());
    return level.starts_with("trace\"") || level.starts_with("debug\"") || level.starts_with("info\"");
}

}  // namespace

void recent_lines::add(std::string_view line, log_record const& record)
{
    if (panicked_ && lines_.size() >= most_lines) return;
    bool const structured = line.starts_with('{') && !record.message.empty() && record.message != line;
    if (structured && record.level < log_level::warn) return;
    if (!structured && !panicked_ && record.level == log_level::error) {
        panicked_ = true;
        lines_.clear();
    }
    std::string_view const shown = structured ? std::string_view(record.message) : line;
    lines_.emplace_back(shown.substr(0, longest_shown_line));
    if (lines_.size() > most_lines) lines_.pop_front();
}

auto recent_lines::text() const -> std::string
{
    if (lines_.empty()) return "  (nothing)";
    std::string made;
    for (std::string const& line : lines_) made += (made.empty() ? "  " : "\n  ") + line;
    return made;
}

plugin_process::plugin_process(
    asio::any_io_executor const& executor, process child, int output, int errors, std::string name, log_sink log)
    : executor_(executor),
      child_(std::move(child)),
      output_(executor, output),
      errors_(executor, errors),
      name_(std::move(name)),
      log_(std::move(log))
{}

auto plugin_process::start(asio::any_io_executor const& executor, process_command const& command, std::string name,
    log_sink log) -> boost::system::result<std::shared_ptr<plugin_process>>
{
    auto output = make_pipe();
    if (!output) return output.error();
    auto errors = make_pipe();
    if (!errors) return errors.error();
    auto started = process::start(command, {-1, output->writing.get(), errors->writing.get()});
    if (!started) return started.error();
    std::shared_ptr<plugin_process> made(new plugin_process(executor, std::move(*started), output->reading.release(),
        errors->reading.release(), std::move(name), std::move(log)));
    made->begin();
    return made;
}

void plugin_process::begin()
{
    auto const self = shared_from_this();
    auto const on_output = [this](std::string_view line) {
        if (first_line_) return log_line(line);
        first_line_ = line;
        changed();
    };
    auto const on_error = [this](std::string_view line) { log_line(line); };
    asio::co_spawn(executor_, read_lines(self, output_, {}, on_output), asio::detached);
    auto const rest = log_ ? milliseconds(0) : rest_without_log;
    asio::co_spawn(executor_, read_lines(self, errors_, rest, on_error), asio::detached);
    asio::co_spawn(executor_, await_end(self), asio::detached);
}

auto plugin_process::read_lines(std::shared_ptr<plugin_process> self, stream& from, milliseconds rest,
    std::function<void(std::string_view)> on_line) -> asio::awaitable<void>
{
    std::vector<char> buffer(std::size_t{16} << 10U);
    std::string left;
    asio::steady_timer resting(self->executor_);
    while (true) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto reading = from.async_read_some(asio::buffer(buffer), token);
        auto const [error, size] = co_await std::move(reading);
        left.append(buffer.data(), size);
        std::size_t begin = 0;
        for (auto end = left.find('\n'); end != left.npos; end = left.find('\n', begin)) {
            std::string_view line(left.data() + begin, end - begin);
            if (line.ends_with('\r')) line.remove_suffix(1);
            on_line(line);
            begin = end + 1;
        }
        left.erase(0, begin);
        if (!left.empty() && (error || left.size() > longest_line)) {
            on_line(left);
            left.clear();
        }
        if (error) break;
        if (rest.count() == 0 || size == buffer.size()) continue;
        resting.expires_after(rest);
        auto waiting = resting.async_wait(token);
        (void)co_await std::move(waiting);
    }
    --self->open_streams_;
    self->changed();
}

auto plugin_process::await_end(std::shared_ptr<plugin_process> self) -> asio::awaitable<void>
{
    auto ending = self->child_.wait();
    bool const ended = co_await std::move(ending);
    if (!ended) co_return;
    // Descendants may keep its streams open. Its process group number is not reused before it is reaped.
    self->child_.signal(SIGKILL);
    auto reading = self->wait_until([&] { return self->open_streams_ == 0; }, last_words);
    (void)co_await std::move(reading);
    self->status_ = self->child_.reap();
    boost::system::error_code ignored;
    self->output_.close(ignored);
    self->errors_.close(ignored);
    self->changed();
}

void plugin_process::changed()
{
    for (asio::steady_timer* const one : waiting_) one->cancel();
}

auto plugin_process::wait_until(std::function<bool()> condition, milliseconds limit) -> asio::awaitable<bool>
{
    auto const self = shared_from_this();
    asio::steady_timer timer(executor_, limit);
    struct registration {
        registration(std::set<asio::steady_timer*>& its_set, asio::steady_timer& its_timer)
            : set(its_set),
              timer(&its_timer)
        {
            set.insert(timer);
        }
        registration(registration const&) = delete;
        auto operator=(registration const&) -> registration& = delete;
        ~registration() { set.erase(timer); }

        std::set<asio::steady_timer*>& set;
        asio::steady_timer* timer;
    } const registered(waiting_, timer);
    auto const state = co_await asio::this_coro::cancellation_state;
    while (!condition()) {
        auto token = asio::as_tuple(asio::use_awaitable);
        auto waiting = timer.async_wait(token);
        auto const [error] = co_await std::move(waiting);
        if (!error || state.cancelled() != asio::cancellation_type::none) co_return condition();
    }
    co_return true;
}

auto plugin_process::first_line(milliseconds limit) -> asio::awaitable<std::optional<std::string>>
{
    auto const self = shared_from_this();
    auto waiting = wait_until([this] { return first_line_ || status_; }, limit);
    (void)co_await std::move(waiting);
    co_return first_line_;
}

auto plugin_process::wait_for_end(milliseconds limit) -> asio::awaitable<bool>
{
    auto waiting = wait_until([this] { return has_ended(); }, limit);
    co_return co_await std::move(waiting);
}

void plugin_process::log_line(std::string_view line)
{
    if (line.empty() || (!log_ && is_detail(line))) return;
    log_record record = log_record::of_line(line);
    recent_.add(line, record);
    if (!log_) return;
    record.name = name_;
    log_(record);
}

}  // namespace iacctl::plugin
