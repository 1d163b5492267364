// SPDX-License-Identifier: BSL-1.0
#include "workspace_lock.hpp"

#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/timestamp.hpp"
#include "workspace_files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

namespace iacctl::state {

namespace {

auto text_of(lock_holder const& holder) -> std::string
{
    std::string text = "{\"host\":";
    append_json_string(text, holder.host);
    text += ",\"operation\":";
    append_json_string(text, holder.operation);
    text += ",\"pid\":" + std::to_string(holder.pid) + ",\"started\":" + std::to_string(holder.started) + ",\"user\":";
    append_json_string(text, holder.user);
    return text + "}\n";
}

auto age_text(std::int64_t milliseconds) -> std::string
{
    std::int64_t const seconds = std::max<std::int64_t>(milliseconds, 0) / 1000;
    if (seconds < 120) return std::to_string(seconds) + " s ago";
    if (seconds < 7200) return std::to_string(seconds / 60) + " min ago";
    return std::to_string(seconds / 3600) + " h ago";
}

auto describe(std::optional<lock_holder> const& holder) -> std::string
{
    if (!holder) return "  Holder:    unknown";
    std::string text;
    std::string alive = "on another host";
    if (holder->host == this_process({}).host) {
        bool const exists = ::kill(static_cast<pid_t>(holder->pid), 0) == 0 || errno == EPERM;
        // The kernel frees the lock with its process: a child of it may still hold the same descriptor.
        alive = exists ? "alive" : "no longer alive, but a process that it started still holds the lock";
    }
    text += "  Holder:    " + holder->user + "@" + holder->host + "\n";
    text += "  Process:   " + std::to_string(holder->pid) + " (" + alive + ")\n";
    text += "  Operation: " + holder->operation + "\n";
    text += "  Started:   " + timestamp::of_unix_ms(holder->started).text() + " ("
        + age_text(now_ms() - holder->started) + ")";
    return text;
}

// \return 0, or errno
auto try_lock(int fd) -> int
{
    struct flock wanted{};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    while (::fcntl(fd, F_OFD_SETLK, &wanted) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

}  // namespace

auto workspace_lock::acquire(std::filesystem::path const& workspace_directory, lock_request const& asked)
    -> expected<std::unique_ptr<workspace_lock>>
{
    using namespace std::chrono;
    workspace_files const files(workspace_directory);
    auto const condition = files.look();
    if (!condition) return condition.error();
    if (*condition == workspace_files::condition::never_made)
        if (auto problem = files.make()) return *problem;

    std::string const name = files.lock().string();
    // It is written to: not through a link, which may lead to a file of somebody else.
    file_descriptor file(::open(files.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!file && errno == ELOOP) return make_failure(messages::state_lock_is_link, {name});
    if (!file) return make_failure(messages::state_not_writable, {name, last_error().message()});

    auto const deadline = steady_clock::now() + asked.timeout;
    milliseconds delay(100);
    for (;;) {
        int const error = try_lock(file.get());
        if (error == 0) break;
        if (error != EAGAIN && error != EACCES)
            return make_failure(
                messages::state_not_writable, {name, error_code(error, boost::system::system_category()).message()});
        auto const left = duration_cast<milliseconds>(deadline - steady_clock::now());
        if (left <= milliseconds(0) || (asked.stop && asked.stop())) return lock_failure(workspace_directory);
        std::this_thread::sleep_for(std::min(delay, left));
        delay = std::min(delay * 2, milliseconds(2000));
    }

    std::string const text = text_of(this_process(asked.operation));
    // Only informational: a full disk must not keep anybody from the lock.
    if (::ftruncate(file.get(), 0) == 0) [[maybe_unused]]
        auto const written = ::pwrite(file.get(), text.data(), text.size(), 0);
    return std::make_unique<workspace_lock>(std::move(file));
}

workspace_lock::~workspace_lock()
{
    if (file_) [[maybe_unused]]
        auto const cleared = ::ftruncate(file_.get(), 0);
}

auto is_locked(std::filesystem::path const& workspace_directory) -> bool
{
    file_descriptor const file(
        ::open(workspace_files(workspace_directory).lock().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct flock wanted{};
    wanted.l_type = F_WRLCK;
    wanted.l_whence = SEEK_SET;
    return file && ::fcntl(file.get(), F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

auto lock_failure(std::filesystem::path const& workspace_directory, std::string const& operations) -> infra::failure
{
    std::string const file = workspace_files(workspace_directory).lock().string();
    std::string const holder = describe(read_holder(workspace_directory));
    if (operations.empty()) return make_failure(messages::state_locked, {file, holder});
    return make_failure(messages::state_under_change, {operations, file, holder});
}

auto read_holder(std::filesystem::path const& workspace_directory) -> std::optional<lock_holder>
{
    auto const text = read_input(workspace_files(workspace_directory).lock());
    std::string why;
    auto const whole = text ? parse_json(*text, why) : std::nullopt;
    if (!whole) return std::nullopt;
    auto const word = [&](std::string_view member) {
        json const* const value = whole->find(member);
        return value == nullptr || value->text() == nullptr ? std::string("unknown") : *value->text();
    };
    auto const number = [&](std::string_view member) {
        json const* const value = whole->find(member);
        return value == nullptr ? 0 : value->integer().value_or(0);
    };
    return lock_holder{number("pid"), word("host"), word("user"), word("operation"), number("started")};
}

}  // namespace iacctl::state
