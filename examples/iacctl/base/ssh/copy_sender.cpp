// SPDX-License-Identifier: BSL-1.0
#include "copy_sender.hpp"

#include "base/last_error.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace iacctl::ssh {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t block_size = std::size_t{64} << 10U;

auto with_reason(fs::path const& file, std::string const& why) -> std::string
{
    return "\"" + file.string() + "\" cannot be read: " + why;
}

// Opens a file. A pipe without a writer does not block.
auto opened(fs::path const& path, copy_problem& problem) -> file_descriptor
{
    file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found{};
    if (!file || ::fstat(file.get(), &found) != 0) problem = with_reason(path, last_error().message());
    else if (!S_ISREG(found.st_mode)) problem = with_reason(path, "it is a pipe, socket or device");
    return file;
}

auto is_valid(std::string const& name) -> bool
{
    return !name.empty() && name.find('\n') == name.npos;
}

}  // namespace

auto entries_of(fs::path const& directory) -> std::vector<copied_entry>
{
    std::vector<copied_entry> all;
    for (auto const& one : fs::directory_iterator(directory))
        all.push_back({one.path().filename().string(), one.path(), one.is_directory()});
    std::ranges::sort(all, {}, &copied_entry::name);
    return all;
}

auto copy_sender::begin() -> task<copy_problem>
{
    return confirmation();
}

auto copy_sender::next_byte() -> task<std::optional<char>>
{
    if (next_ == received_.size()) {
        std::array<char, 512> buffer{};
        auto reading = receiver_->read_some(boost::asio::buffer(buffer));
        auto const got = co_await std::move(reading);
        cancelled_ = cancelled_ || got.error == boost::asio::error::operation_aborted;
        if (got.error) co_return std::nullopt;
        received_.assign(buffer.data(), got.size);
        next_ = 0;
    }
    co_return received_[next_++];
}

// The confirmation of a step is a zero byte. Otherwise a line with the reason follows.
auto copy_sender::confirmation() -> task<copy_problem>
{
    constexpr std::size_t longest_reason = 4096;
    auto first = next_byte();
    auto const kind = co_await std::move(first);
    if (kind == '\0') co_return std::nullopt;
    std::string why;
    if (kind && *kind != 1 && *kind != 2) why += *kind;  // output of the shell on the other machine
    for (auto one = kind; one && why.size() < longest_reason;) {
        auto reading = next_byte();
        one = co_await std::move(reading);
        if (!one || *one == '\n') break;
        why += *one;
    }
    co_return why;
}

auto copy_sender::write(std::string_view text) -> task<copy_problem>
{
    auto writing = receiver_->write(text);
    auto const error = co_await std::move(writing);
    cancelled_ = cancelled_ || error == boost::asio::error::operation_aborted;
    if (!error) co_return std::nullopt;
    // The receiver may have written why it has ended.
    auto confirming = confirmation();
    auto why = co_await std::move(confirming);
    co_return why && !why->empty() ? *why : std::string();
}

auto copy_sender::command(std::string line) -> task<copy_problem>
{
    line += '\n';
    auto writing = write(line);
    if (auto problem = co_await std::move(writing)) co_return problem;
    auto confirming = confirmation();
    co_return co_await std::move(confirming);
}

auto copy_sender::send_content(file_descriptor const& content, std::uint64_t size) -> task<copy_problem>
{
    std::vector<char> buffer(block_size);
    for (std::uint64_t position = 0; position < size;) {
        auto const desired = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size - position));
        ssize_t const got = ::pread(content.get(), buffer.data(), desired, static_cast<off_t>(position));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) co_return "it cannot be read: " + last_error().message();
        if (got == 0) co_return "it was changed during the upload";
        auto writing = write({buffer.data(), static_cast<std::size_t>(got)});
        if (auto problem = co_await std::move(writing)) co_return problem;
        position += static_cast<std::uint64_t>(got);
    }
    auto ending = write(std::string_view("\0", 1));
    if (auto problem = co_await std::move(ending)) co_return problem;
    auto confirming = confirmation();
    co_return co_await std::move(confirming);
}

auto copy_sender::send_file(file_descriptor const& content, std::string name, std::string mode) -> task<copy_problem>
{
    struct stat found{};
    if (::fstat(content.get(), &found) != 0) co_return with_reason(name, last_error().message());
    if (!is_valid(name)) co_return "\"" + name + "\" is not a name of a file that can be sent";
    auto announcing = command("C" + mode + " " + std::to_string(found.st_size) + " " + name);
    if (auto problem = co_await std::move(announcing)) co_return problem;
    auto sending = send_content(content, static_cast<std::uint64_t>(found.st_size));
    co_return co_await std::move(sending);
}

auto copy_sender::send(copied_entry entry) -> task<copy_problem>
{
    if (entry.is_directory) {
        auto sending = send_directory(std::move(entry));
        co_return co_await std::move(sending);
    }
    copy_problem problem;
    file_descriptor const content = opened(entry.source, problem);
    if (problem) co_return problem;
    auto sending = send_file(content, entry.name, "0644");
    co_return co_await std::move(sending);
}

auto copy_sender::send_directory(copied_entry entry) -> task<copy_problem>
{
    if (!is_valid(entry.name)) co_return "\"" + entry.name + "\" is not a name of a directory that can be sent";
    std::vector<copied_entry> all;
    copy_problem unreadable;
    try {
        fs::path const place = fs::canonical(entry.source);
        if (std::ranges::find(open_directories_, place) != open_directories_.end())
            unreadable = with_reason(entry.source, "it is a link to a directory that contains it");
        open_directories_.push_back(place);
        all = entries_of(entry.source);
    } catch (fs::filesystem_error const& why) {
        unreadable = with_reason(entry.source, why.code().message());
    }
    if (unreadable) co_return unreadable;
    auto entering = command("D0755 0 " + entry.name);
    if (auto problem = co_await std::move(entering)) co_return problem;
    for (copied_entry& one : all) {
        auto sending = send(std::move(one));
        if (auto problem = co_await std::move(sending)) co_return problem;
    }
    open_directories_.pop_back();
    auto leaving = command("E");
    co_return co_await std::move(leaving);
}

}  // namespace iacctl::ssh
