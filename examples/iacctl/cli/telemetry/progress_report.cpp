// SPDX-License-Identifier: BSL-1.0
#include "progress_report.hpp"

#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "base/random.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <streambuf>
#include <thread>
#include <utility>

namespace iacctl::telemetry {

namespace {

using messages::make_warning;

constexpr auto pause_between = std::chrono::milliseconds(200);
constexpr auto limit = std::chrono::milliseconds(5000);  // of a request, and of all requests after the end
constexpr std::size_t longest_request = std::size_t{512} << 10U;
constexpr std::size_t longest_queue = std::size_t{8} << 20U;
constexpr int most_failures = 3;  // one after another: then nothing more is sent

auto not_sent(report_address const& to, std::string const& reason) -> infra::diagnostic
{
    auto const parsed = http::url::parse(to.url);
    return make_warning(messages::report_not_sent, {parsed ? parsed->text() : "IACCTL_REPORT", reason});
}

auto sent(http::blocking_client& client, report_address const& to, std::string_view query, std::string lines,
    std::chrono::milliseconds most) -> std::optional<infra::diagnostic>
{
    http::request what;
    what.method = "POST";
    what.url = to.url + std::string(query);
    what.follows = http::redirections::same_origin;
    what.headers["Content-Type"] = "application/x-ndjson";
    if (!to.authorization.empty()) what.headers["Authorization"] = to.authorization;
    what.body = std::move(lines);
    what.connect_timeout = what.timeout = most;
    what.longest_body = std::size_t{1} << 20U;
    auto const got = client.send(std::move(what));
    if (!got) return not_sent(to, got.reason());
    if (got.status >= 200 && got.status < 300) return std::nullopt;
    return not_sent(to, "the response has the status " + std::to_string(got.status));
}

}  // namespace

auto report_address::from_environment() -> std::optional<report_address>
{
    report_address made{environment_variable("IACCTL_REPORT"), {}};
    if (made.url.empty()) return std::nullopt;
    auto const parsed = http::url::parse(made.url);
    auto const user = environment_variable("TF_HTTP_USERNAME");
    if (parsed && parsed->user_info.empty() && !user.empty())
        made.authorization = "Basic " + base64(user + ":" + environment_variable("TF_HTTP_PASSWORD"));
    return made;
}

auto send_report(report_address const& to, std::string lines) -> std::optional<infra::diagnostic>
{
    http::blocking_client client;
    return sent(client, to, {}, std::move(lines), limit);
}

class progress_report::sender {
public:
    explicit sender(report_address to) : to_(std::move(to)), thread_([this] { work(); }) {}
    sender(sender const&) = delete;
    auto operator=(sender const&) -> sender& = delete;
    ~sender() { (void)end(false); }

    void add(std::string_view lines)
    {
        std::lock_guard const guarded(mutex_);
        if (queue_.size() + lines.size() <= longest_queue) queue_ += lines;
        else if (!why_) why_ = not_sent(to_, "more than 8 MiB were waiting to be sent, and later lines were dropped");
        changed_.notify_all();
    }
    auto end(bool succeeded) -> std::optional<infra::diagnostic>
    {
        {
            std::lock_guard const guarded(mutex_);
            if (!std::exchange(ended_, true)) {
                result_ = succeeded ? "complete" : "failed";
                deadline_ = clock::now() + limit;
            }
            changed_.notify_all();
        }
        if (thread_.joinable()) thread_.join();
        return why_;
    }

private:
    using clock = std::chrono::steady_clock;

    // The first lines of the queue, which fit in a request.
    auto take() -> std::string
    {
        if (queue_.size() <= longest_request) return std::exchange(queue_, {});
        auto const end = queue_.rfind('\n', longest_request);
        auto const size = end == queue_.npos ? queue_.find('\n') : end;
        std::string lines = queue_.substr(0, std::min(size, queue_.size() - 1) + 1);
        queue_.erase(0, lines.size());
        return lines;
    }
    void work()
    {
        http::blocking_client client;
        int failures = 0;
        std::unique_lock guarded(mutex_);
        for (bool last = false; !last && failures < most_failures;) {
            changed_.wait(guarded, [&] { return ended_ || !queue_.empty(); });
            if (!ended_) changed_.wait_for(guarded, pause_between, [&] { return ended_; });
            auto const most =
                ended_ ? std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - clock::now()) : limit;
            if (most.count() <= 0) {
                if (!why_) why_ = not_sent(to_, "the command has ended, and the rest took longer than 5 seconds");
                break;
            }
            std::string lines = take();
            last = ended_ && queue_.empty();
            std::string const query = "?run=" + run_ + (last ? "&end=" + result_ : std::string());
            guarded.unlock();
            auto why = sent(client, to_, query, std::move(lines), most);
            guarded.lock();
            failures = why ? failures + 1 : 0;
            if (why && !why_) why_ = std::move(why);
        }
    }

    report_address to_;
    std::string run_ = random_uuid();
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string queue_;
    bool ended_ = false;
    clock::time_point deadline_;  // of all requests, once it has ended
    std::string result_;
    std::optional<infra::diagnostic> why_;
    std::thread thread_;  // last: it uses the other members
};

class progress_report::buffer final : public std::streambuf {
public:
    buffer(sender& to, std::vector<std::ostream*> also) : to_(&to), also_(std::move(also)) {}

protected:
    auto overflow(int_type c) -> int_type override
    {
        char const one = traits_type::to_char_type(c);
        if (!traits_type::eq_int_type(c, traits_type::eof())) xsputn(&one, 1);
        return traits_type::not_eof(c);
    }
    auto xsputn(char const* text, std::streamsize size) -> std::streamsize override
    {
        text_.append(text, static_cast<std::size_t>(size));
        for (auto* const one : also_) one->write(text, size);
        return size;
    }
    auto sync() -> int override
    {
        to_->add(std::exchange(text_, {}));
        for (auto* const one : also_) one->flush();
        return 0;
    }

private:
    sender* to_;
    std::vector<std::ostream*> also_;
    std::string text_;
};

progress_report::progress_report(report_address to, std::vector<std::ostream*> also)
    : sender_(std::make_unique<sender>(std::move(to))),
      buffer_(std::make_unique<buffer>(*sender_, std::move(also)))
{
    stream_.rdbuf(buffer_.get());
}

progress_report::~progress_report() = default;

auto progress_report::stream() -> std::ostream&
{
    return stream_;
}

auto progress_report::end(bool succeeded) -> std::optional<infra::diagnostic>
{
    stream_.flush();
    return sender_->end(succeeded);
}

}  // namespace iacctl::telemetry
