// SPDX-License-Identifier: BSL-1.0
#include "input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace iacctl::language {

namespace {

class opened_file {
public:
    opened_file(std::string const& path, int flags) : descriptor_(::open(path.c_str(), flags)) {}
    opened_file(opened_file const&) = delete;
    opened_file& operator=(opened_file const&) = delete;
    ~opened_file()
    {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

[[nodiscard]] failure last_error()
{
    return failure(std::generic_category().message(errno));
}

}  // namespace

result<file_content> read_input(std::string const& path, input_files allowed)
{
    bool const pipes = allowed == input_files::regular_or_pipe;
    opened_file const file(path, O_RDONLY | O_CLOEXEC | (pipes ? 0 : O_NONBLOCK));
    struct stat of = {};
    if (file.descriptor() < 0 || ::fstat(file.descriptor(), &of) != 0) return last_error();
    if (S_ISDIR(of.st_mode)) return failure("it is a directory, not a file");
    if (!S_ISREG(of.st_mode) && !(pipes && S_ISFIFO(of.st_mode)))
        return failure("it is no regular file, and what is read from devices and pipes may have no end");
    // One byte more than there should be, which tells the end of the file.
    auto room = std::min(static_cast<std::size_t>(of.st_size), largest_input) + 1;
    for (std::string text;; room = 1U << 16U) {
        auto const before = text.size();
        text.resize(before + room);
        auto count = ::read(file.descriptor(), text.data() + before, room);
        while (count < 0 && errno == EINTR) count = ::read(file.descriptor(), text.data() + before, room);
        if (count < 0) return last_error();
        text.resize(before + static_cast<std::size_t>(count));
        if (text.size() > largest_input) return failure("it has more than 256 MiB, the most that is read from a file");
        if (count == 0) return file_content{std::move(text)};
    }
}

}  // namespace iacctl::language
