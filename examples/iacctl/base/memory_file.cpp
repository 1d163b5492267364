// SPDX-License-Identifier: BSL-1.0
#include "memory_file.hpp"

#include "durable_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace iacctl {

auto memory_file(std::string_view content) -> file_descriptor
{
    file_descriptor file(::memfd_create("stream", MFD_CLOEXEC));
    if (file && write_all(file.get(), content)) return file_descriptor();
    if (file) ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

auto bounded_memory_file(std::size_t size) -> file_descriptor
{
    file_descriptor file(::memfd_create("stream", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    bool const sized = file && ::ftruncate(file.get(), static_cast<off_t>(size)) == 0
        && ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW) == 0;
    return sized ? std::move(file) : memory_file({});
}

auto content_of(file_descriptor const& file) -> std::string
{
    off_t const size = std::max<off_t>(::lseek(file.get(), 0, SEEK_CUR), 0);
    std::string text(static_cast<std::size_t>(size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        ssize_t const got = ::pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

}  // namespace iacctl
