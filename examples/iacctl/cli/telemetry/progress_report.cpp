// SPDX-License-Identifier: BSL-1.0
#include "progress_report.hpp"

#include "base/cut_text.hpp"
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/http/blocking_client.hpp"
#include "base/http/url.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
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
constexpr std::size_t longest_line = std::size_t{64} << 10U;
constexpr std::size_t longest_text = 8000;  // in a line that is longer; a console keeps no more of it
constexpr std::size_t shortest_text = 50;
// Failures one after another: then the connection has a gap, or the rest at the end of a command is given up.
constexpr int most_failures = 3;
constexpr auto pause_in_gap = std::chrono::milliseconds(5000);

void cut_texts(json& document, std::size_t most)
{
    if (document.text() != nullptr) document = json(cut_text(*document.text(), most));
    else if (document.elements() != nullptr)
        for (json& one : document.as_elements()) cut_texts(one, most);
    else if (document.members() != nullptr)
        for (auto const& [name, _] : *document.members()) cut_texts(document.at(name), most);
}

auto not_sent(report_address const& to, std::string const& reason) -> infra::diagnostic
{
    auto const parsed = http::url::parse(to.url);
    return make_warning(messages::report_not_sent, {parsed ? parsed->text() : "IACCTL_REPORT", reason});
}

// The reason why a request was not accepted.
struct report_refusal {
    infra::diagnostic why;
    bool is_final = false;  // the same request would be refused again
};

auto sent(http::blocking_client& client, report_address const& to, std::string_view query, std::string lines,
    std::chrono::milliseconds most) -> std::optional<report_refusal>
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
    if (!got) return report_refusal{not_sent(to, got.reason())};
    if (got.status >= 200 && got.status < 300) return std::nullopt;
    return report_refusal{not_sent(to, "the response has the status " + std::to_string(got.status)),
        got.status >= 400 && got.status < 500};
}

}  // namespace

auto report_line(std::string_view line) -> std::string
{
    if (line.size() <= longest_line) return std::string(line);
    auto document = parse_json(line);
    if (!document) return {};
    for (std::size_t most = longest_text; most >= shortest_text; most /= 2) {
        cut_texts(*document, most);
        if (std::string made = compact_text(*document) + '\n'; made.size() <= longest_line) return made;
    }
    return {};
}

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
    auto refused = sent(client, to, {}, std::move(lines), limit);
    return refused ? std::optional(std::move(refused->why)) : std::nullopt;
}

class progress_report::sender {
public:
    sender(report_address to, std::string operation)
        : to_(std::move(to)),
          operation_(std::move(operation)),
          thread_([this] { work(); })
    {}
    sender(sender const&) = delete;
    auto operator=(sender const&) -> sender& = delete;
    ~sender() { (void)end(false); }

    void rename(std::string operation)
    {
        std::lock_guard const guarded(mutex_);
        operation_ = std::move(operation);
    }
    void add(std::string_view lines)
    {
        std::lock_guard const guarded(mutex_);
        if (gave_up_) return;
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
    // Sends the queue in parts, one after another. A part that was not accepted is sent again: its number tells the
    // console whether it has it already.
    void work()
    {
        http::blocking_client client;
        std::string lines;
        std::string query;
        std::uint64_t part = 0;
        bool is_last = false;
        int failures = 0;
        std::unique_lock guarded(mutex_);
        while (true) {
            if (failures == 0) {
                changed_.wait(guarded, [&] { return ended_ || !queue_.empty(); });
                if (!ended_) changed_.wait_for(guarded, pause_between, [&] { return ended_; });
                lines = take();
                is_last = ended_ && queue_.empty();
                query = "?run=" + run_ + "&part=" + std::to_string(++part) + "&operation=" + operation_
                    + (is_last ? "&end=" + result_ : std::string());
            } else if (ended_) changed_.wait_for(guarded, pause_between);
            else
                changed_.wait_for(
                    guarded, failures < most_failures ? pause_between : pause_in_gap, [&] { return ended_; });
            auto const most =
                ended_ ? std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - clock::now()) : limit;
            if (most.count() <= 0) {
                give_up(not_sent(to_, "the command has ended, and the rest took longer than 5 seconds"));
                return;
            }
            guarded.unlock();
            auto refused = sent(client, to_, query, lines, most);
            guarded.lock();
            failures = refused ? failures + 1 : 0;
            if (!refused && is_last) return;
            if (refused && (refused->is_final || (ended_ && failures >= most_failures))) {
                give_up(std::move(refused->why));
                return;
            }
        }
    }
    void give_up(infra::diagnostic why)
    {
        gave_up_ = true;
        queue_.clear();
        if (!why_) why_ = std::move(why);
    }

    report_address to_;
    std::string run_ = random_uuid();
    std::string operation_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string queue_;
    bool gave_up_ = false;
    bool ended_ = false;
    clock::time_point deadline_;  // of all requests, once it has ended
    std::string result_;
    std::optional<infra::diagnostic> why_;
    std::thread thread_;  // last: it uses the other members
};

class progress_report::buffer final : public std::streambuf {
public:
    buffer(sender& to, std::vector<std::ostream*> also) : to_(&to), also_(std::move(also)) {}

    void rename(std::string operation) { to_->rename(std::move(operation)); }

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
        std::string const text = std::exchange(text_, {});
        for (std::size_t at = 0; at < text.size();) {
            auto const end = std::min(text.find('\n', at), text.size() - 1) + 1;
            to_->add(report_line(std::string_view(text).substr(at, end - at)));
            at = end;
        }
        for (auto* const one : also_) one->flush();
        return 0;
    }

private:
    sender* to_;
    std::vector<std::ostream*> also_;
    std::string text_;
};

progress_report::progress_report(report_address to, std::string operation, std::vector<std::ostream*> also)
    : sender_(std::make_unique<sender>(std::move(to), std::move(operation))),
      buffer_(std::make_unique<buffer>(*sender_, std::move(also)))
{
    stream_.rdbuf(buffer_.get());
}

progress_report::~progress_report() = default;

auto progress_report::stream() -> std::ostream&
{
    return stream_;
}

void progress_report::rename(std::ostream& to, std::string operation)
{
    if (auto* const of_report = dynamic_cast<buffer*>(to.rdbuf())) of_report->rename(std::move(operation));
}

auto progress_report::end(bool succeeded) -> std::optional<infra::diagnostic>
{
    stream_.flush();
    return sender_->end(succeeded);
}

}  // namespace iacctl::telemetry
