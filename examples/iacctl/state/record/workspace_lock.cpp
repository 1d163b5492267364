// SPDX-License-Identifier: BSL-1.0
#include "workspace_lock.hpp"

#include "base/input_file.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "state/part_locks.hpp"
#include "workspace_files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace iacctl::state {

namespace fs = std::filesystem;

namespace {

// The maximum time for which the lock of a process that has ended is expected to be held by a child that it was starting: the child
// holds the lock until it runs its own program.
constexpr std::chrono::seconds longest_start_of_child{1};

// The maximum time for which another process may compare its parts with those of the others.
constexpr std::chrono::seconds longest_comparison{10};

void append_names(std::string& to, std::string_view member, std::vector<std::string> const& names)
{
    to.append(",\"").append(member).append("\":[");
    for (bool first = true; std::string const& name : names) {
        if (!std::exchange(first, false)) to += ',';
        append_json_string(to, name);
    }
    to += ']';
}

auto text_of(lock_holder const& holder, state_parts const* parts = nullptr) -> std::string
{
    std::string text = "{\"host\":";
    append_json_string(text, holder.host);
    text += ",\"operation\":";
    append_json_string(text, holder.operation);
    text += ",\"pid\":" + std::to_string(holder.pid) + ",\"started\":" + std::to_string(holder.started) + ",\"user\":";
    append_json_string(text, holder.user);
    if (parts != nullptr) {
        append_names(text, "written", parts->written);
        append_names(text, "read", parts->read);
    }
    return text + "}\n";
}

auto age_text(std::int64_t milliseconds) -> std::string
{
    std::int64_t const seconds = std::max<std::int64_t>(milliseconds, 0) / 1000;
    if (seconds < 120) return std::to_string(seconds) + " s ago";
    if (seconds < 7200) return std::to_string(seconds / 60) + " min ago";
    return std::to_string(seconds / 3600) + " h ago";
}

auto has_ended(lock_holder const& holder) -> bool
{
    return holder.host == this_process({}).host && ::kill(static_cast<pid_t>(holder.pid), 0) != 0 && errno == ESRCH;
}

auto describe(std::optional<lock_holder> const& holder) -> std::string
{
    if (!holder) return "  Holder:    unknown";
    std::string text;
    std::string alive = "on another host";
    // The kernel releases the lock at the end of the process, unless a child of the process still holds the same descriptor.
    if (holder->host == this_process({}).host)
        alive = has_ended(*holder) ? "no longer alive, but a process that it started still holds the lock" : "alive";
    text += "  Holder:    " + holder->user + "@" + holder->host + "\n";
    text += "  Process:   " + std::to_string(holder->pid) + " (" + alive + ")\n";
    text += "  Operation: " + holder->operation + "\n";
    text += "  Started:   " + timestamp::of_unix_ms(holder->started).text() + " ("
        + age_text(now_ms() - holder->started) + ")";
    return text;
}

// Locks a whole file. \return 0, or errno
auto try_lock(int fd, short type) -> int
{
    return lock_whole_file(fd, type).value();
}

// Returns whether another process prevents a lock of that type on this open file.
auto is_excluded(int fd, short type) -> bool
{
    struct flock desired{};
    desired.l_type = type;
    desired.l_whence = SEEK_SET;
    return ::fcntl(fd, F_OFD_GETLK, &desired) == 0 && desired.l_type != F_UNLCK;
}

auto is_held(int error) -> bool
{
    return error == EAGAIN || error == EACCES;
}

auto text_of_error(int error) -> std::string
{
    return error_code(error, boost::system::system_category()).message();
}

struct described_lock {
    lock_holder holder;
    state_parts parts;
    bool is_known = true;  // false: its description could not be read
    error_code why = {};  // the reason, if the system could not open it
};

auto parse(fs::path const& file) -> std::optional<described_lock>
{
    auto const text = read_input(file);
    if (!text) return std::nullopt;
    auto const whole = parse_json(*text);
    if (!whole) return std::nullopt;
    auto const word = [&](std::string_view member) {
        json const* const value = whole->find(member);
        return value == nullptr || value->text() == nullptr ? std::string("unknown") : *value->text();
    };
    auto const number = [&](std::string_view member) {
        json const* const value = whole->find(member);
        return value == nullptr ? 0 : value->integer().value_or(0);
    };
    auto const names = [&](std::string_view member) {
        std::vector<std::string> all;
        json const* const value = whole->find(member);
        if (value == nullptr || value->elements() == nullptr) return all;
        for (json const& one : *value->elements())
            if (one.text() != nullptr) all.push_back(*one.text());
        return all;
    };
    described_lock found;
    found.holder = {number("pid"), word("host"), word("user"), word("operation"), number("started")};
    found.parts = {names("written"), names("read")};
    return found;
}

auto directory_of_locks(fs::path const& workspace_directory) -> fs::path
{
    return workspace_directory / "locks";
}

auto mutex_in(fs::path const& locks) -> fs::path
{
    return locks / "mutex";
}

// The locks of parts that other processes hold, the oldest first.
// \param of_dead  called with the files of processes that have ended
template <class OfDead>
auto find_locks_of_parts(fs::path const& workspace_directory, fs::path const& own, OfDead of_dead)
    -> std::vector<described_lock>
{
    std::vector<described_lock> all;
    std::error_code error;
    fs::path const locks = directory_of_locks(workspace_directory);
    for (fs::directory_iterator at(locks, error), end; !error && at != end; at.increment(error)) {
        fs::path const& file = at->path();
        if (file == own || file == mutex_in(locks)) continue;
        file_descriptor const opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (!opened) {
            if (errno != ENOENT) all.push_back({{}, {}, false, last_error()});
            continue;
        }
        if (!is_excluded(opened.get(), F_WRLCK)) {
            of_dead(file);
            continue;
        }
        auto found = parse(file);
        if (found) all.push_back(std::move(*found));
        else if (std::error_code ignored; fs::exists(file, ignored))
            all.push_back({{}, {}, false});  // otherwise it was released in the meantime
    }
    if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
        all.push_back({{}, {}, false, error});
    std::ranges::sort(all, {}, [](described_lock const& lock) { return lock.holder.started; });
    return all;
}

// A holder of a lock, other than the one with the file `own`.
auto find_holder(fs::path const& workspace_directory, fs::path const& own) -> std::optional<lock_holder>
{
    auto of_parts = find_locks_of_parts(workspace_directory, own, [](fs::path const&) {});
    for (described_lock& one : of_parts)
        if (one.is_known) return std::move(one.holder);
    auto whole = parse(workspace_files(workspace_directory).lock());
    return whole ? std::optional(std::move(whole->holder)) : std::nullopt;
}

auto locked_by(std::optional<lock_holder> const& holder, fs::path const& workspace_directory) -> infra::failure
{
    return make_failure(
        messages::state_locked, {workspace_files(workspace_directory).lock().string(), describe(holder)});
}

auto description_of(lock_holder const& holder) -> lock_description
{
    lock_description one;
    one.holder = holder.process();
    one.operation = holder.operation;
    one.since = timestamp::of_unix_ms(holder.started).text();
    return one;
}

}  // namespace

auto workspace_lock::acquire(fs::path const& workspace_directory, lock_request const& requested)
    -> expected<std::unique_ptr<workspace_lock>>
{
    workspace_files const files(workspace_directory);
    auto const condition = files.look();
    if (!condition) return condition.error();
    if (*condition == workspace_files::condition::never_made)
        if (auto const ok = files.make(); !ok) return ok.error();

    std::string const name = files.lock().string();
    // The file is written, so a link is not followed: it may refer to a file of another user.
    file_descriptor file(::open(files.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!file && errno == ELOOP) return make_failure(messages::state_lock_is_link, {name});
    if (!file) return make_failure(messages::state_not_writable, {name, last_error().message()});

    auto made = std::make_unique<workspace_lock>(workspace_directory, std::move(file));
    if (auto const ok = made->exchange(requested); !ok) return ok.error();
    return made;
}

workspace_lock::~workspace_lock()
{
    drop_description();
    if (held_ == scope::workspace) [[maybe_unused]]
        auto const cleared = ::ftruncate(file_.get(), 0);
}

template <class Attempt>
void workspace_lock::attempt_until_free(lock_request requested, Attempt attempt) const
{
    bool has_result = false;
    auto const noted = [&] { return has_result = attempt(); };
    attempt_until(requested, noted);
    if (has_result) return;
    auto const holder = find_holder(directory_, description_.file);
    if (!holder || !has_ended(*holder)) return;
    requested.timeout = longest_start_of_child;
    attempt_until(requested, noted);
}

auto workspace_lock::exchange(lock_request const& requested) -> expected<void>
{
    expected<void> taken;
    attempt_until_free(requested, [&] {
        taken = take(requested);
        return taken || kind_of(taken.error()) != state_error::locked;
    });
    return taken;
}

auto workspace_lock::take(lock_request const& requested) -> expected<void>
{
    return requested.parts ? take_parts(requested.operation, *requested.parts) : take_workspace(requested.operation);
}

auto workspace_lock::take_workspace(std::string const& operation) -> expected<void>
{
    int const error = try_lock(file_.get(), F_WRLCK);
    if (is_held(error)) return locked_by(find_holder(directory_, description_.file), directory_);
    if (error != 0)
        return make_failure(
            messages::state_not_writable, {workspace_files(directory_).lock().string(), text_of_error(error)});
    held_ = scope::workspace;
    drop_description();
    std::string const text = text_of(this_process(operation));
    // The content is only informational: a full disk must not prevent a lock.
    if (::ftruncate(file_.get(), 0) == 0) [[maybe_unused]]
        auto const written = ::pwrite(file_.get(), text.data(), text.size(), 0);
    return {};
}

auto workspace_lock::take_parts(std::string const& operation, state_parts const& parts) -> expected<void>
{
    scope const before = held_;
    // No other process can hold parts while this process holds the workspace.
    int const error = before == scope::nothing ? try_lock(file_.get(), F_RDLCK) : 0;
    if (is_held(error)) return locked_by(find_holder(directory_, description_.file), directory_);
    if (error != 0)
        return make_failure(
            messages::state_not_writable, {workspace_files(directory_).lock().string(), text_of_error(error)});
    auto const refuse = [&](infra::failure why) {
        if (before == scope::nothing) (void)try_lock(file_.get(), F_UNLCK);
        return why;
    };

    comparison const begun = begin_comparison();
    if (is_held(begun.error)) return refuse(locked_by(find_holder(directory_, description_.file), directory_));
    if (begun.error == 0)
        if (auto const free = check_conflicts([&]() -> state_parts const& { return parts; }); !free)
            return refuse(free.error());
    auto made = begun.error == 0 ? describe_parts(operation, parts) : std::nullopt;
    if (!made) {
        // Parts that other processes cannot see are locked with the whole workspace.
        auto whole = take_workspace(operation);
        return whole ? std::move(whole) : refuse(whole.error());
    }
    drop_description();
    description_ = std::move(*made);
    if (before == scope::workspace) {
        [[maybe_unused]] auto const cleared = ::ftruncate(file_.get(), 0);
        (void)try_lock(file_.get(), F_RDLCK);
    }
    held_ = scope::parts;
    return {};
}

auto workspace_lock::check(lock_request requested, std::function<state_parts()> const& parts) -> expected<void>
{
    if (held_ == scope::workspace) return {};
    std::optional<state_parts> known;
    auto const once = [&]() -> state_parts const& { return known ? *known : known.emplace(parts()); };
    expected<void> taken;
    attempt_until_free(requested, [&] {
        comparison const begun = begin_comparison();
        if (is_held(begun.error)) taken = locked_by(find_holder(directory_, description_.file), directory_);
        else if (begun.error == 0) taken = check_conflicts(once);
        else taken = take_parts(requested.operation, once());
        return taken || kind_of(taken.error()) != state_error::locked;
    });
    return taken;
}

auto workspace_lock::begin_comparison() const -> comparison
{
    fs::path const locks = directory_of_locks(directory_);
    comparison begun;
    if (!make_private_directories(locks))
        begun.mutex = file_descriptor(
            ::open(mutex_in(locks).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    begun.error = begun.mutex ? try_lock(begun.mutex.get(), F_WRLCK) : EIO;
    for (auto const until = std::chrono::steady_clock::now() + longest_comparison;
        is_held(begun.error) && std::chrono::steady_clock::now() < until;
        begun.error = try_lock(begun.mutex.get(), F_WRLCK))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return begun;
}

auto workspace_lock::check_conflicts(std::function<state_parts const&()> const& parts) const -> expected<void>
{
    std::error_code ignored;
    auto const others =
        find_locks_of_parts(directory_, description_.file, [&](fs::path const& file) { fs::remove(file, ignored); });
    for (described_lock const& other : others) {
        if (other.why)
            return make_failure(
                messages::state_unreadable, {directory_of_locks(directory_).string(), other.why.message()});
        if (!other.is_known) return locked_by(std::nullopt, directory_);
        auto const shared = overlap(parts(), other.parts);
        if (!shared.empty())
            return make_failure(messages::state_parts_locked,
                {workspace_files(directory_).database().string(), lines_of(shared), describe(other.holder)});
    }
    return {};
}

auto workspace_lock::describe_parts(std::string const& operation, state_parts const& parts) const
    -> std::optional<description>
{
    description made;
    made.file = directory_of_locks(directory_) / random_hex(8);
    made.locked = file_descriptor(::open(made.file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    bool const is_written = made.locked && try_lock(made.locked.get(), F_WRLCK) == 0
        && !write_all(made.locked.get(), text_of(this_process(operation), &parts));
    if (is_written) return made;
    std::error_code ignored;
    fs::remove(made.file, ignored);
    return std::nullopt;
}

void workspace_lock::drop_description()
{
    std::error_code ignored;
    if (!description_.file.empty()) fs::remove(description_.file, ignored);
    description_ = {};
}

auto locks_of_others(fs::path const& workspace_directory, workspace_lock const* own) -> std::vector<lock_description>
{
    std::vector<lock_description> all;
    file_descriptor const file(
        ::open(workspace_files(workspace_directory).lock().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    bool const is_missing = !file && errno == ENOENT;
    bool const own_workspace = own != nullptr && !own->is_of_parts();
    if (is_missing || own_workspace) return all;
    if (!file) {
        all.emplace_back();  // the holder is unknown
        return all;
    }
    if (is_excluded(file.get(), F_RDLCK)) {
        auto const whole = parse(workspace_files(workspace_directory).lock());
        all.push_back(whole ? description_of(whole->holder) : lock_description());
        return all;
    }
    auto const others = find_locks_of_parts(
        workspace_directory, own == nullptr ? fs::path() : own->description_file(), [](fs::path const&) {});
    for (described_lock const& other : others) {
        lock_description& one = all.emplace_back(description_of(other.holder));
        one.of_workspace = false;
        one.written = other.parts.written;
        one.read = other.parts.read;
    }
    return all;
}

auto is_locked(fs::path const& workspace_directory) -> bool
{
    file_descriptor const file(
        ::open(workspace_files(workspace_directory).lock().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    return file && is_excluded(file.get(), F_WRLCK);
}

auto lock_failure(fs::path const& workspace_directory, std::string const& operations) -> infra::failure
{
    auto const holder = find_holder(workspace_directory, {});
    if (operations.empty()) return locked_by(holder, workspace_directory);
    std::string const file = workspace_files(workspace_directory).lock().string();
    return make_failure(messages::state_under_change, {operations, file, describe(holder)});
}

auto read_holder(fs::path const& workspace_directory) -> std::optional<lock_holder>
{
    return find_holder(workspace_directory, {});
}

}  // namespace iacctl::state
