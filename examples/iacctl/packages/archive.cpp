// SPDX-License-Identifier: BSL-1.0
#include "archive.hpp"

#include "archive_library.hpp"
#include "base/durable_file.hpp"
#include "base/file_descriptor.hpp"
#include "base/last_error.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "package_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

using reader_pointer = std::unique_ptr<::archive, decltype(&::archive_read_free)>;
using writer_pointer = std::unique_ptr<::archive, decltype(&::archive_write_free)>;
using entry_pointer = std::unique_ptr<::archive_entry, decltype(&::archive_entry_free)>;

constexpr std::size_t block_size = std::size_t{1} << 16U;

auto why_of(archive_library const& library, ::archive* a) -> std::string
{
    char const* const text = library.error_string(a);
    return text == nullptr ? "it is damaged" : text;
}

// The parts of the name of an entry. \throws if the entry would be outside of the directory
auto parts_of(std::string_view name) -> std::vector<std::string>
{
    auto const refuse = [&](char const* why) {
        throw std::runtime_error("the entry \"" + std::string(name) + "\" " + why);
    };
    if (name.starts_with('/')) refuse("has an absolute path");
    std::vector<std::string> parts;
    while (!name.empty()) {
        auto const slash = std::min(name.find('/'), name.size());
        auto const part = name.substr(0, slash);
        name.remove_prefix(std::min(slash + 1, name.size()));
        if (part == "..") throw std::runtime_error("the path of an entry leaves the directory with \"..\"");
        if (!part.empty() && part != ".") parts.emplace_back(part);
    }
    return parts;
}

// Writes entries below a directory. Each directory in a path is opened without following links.
class extraction {
public:
    explicit extraction(fs::path const& to) : root_(open_directory(AT_FDCWD, to.c_str())) {}

    void add(archive_entry_view const& entry)
    {
        auto parts = parts_of(entry.name);
        if (parts.empty()) return;
        if (entry.directory) return static_cast<void>(directory_of(parts));
        std::string const name = std::move(parts.back());
        parts.pop_back();
        file_descriptor const below = directory_of(parts);
        if (!entry.link.empty()) {
            if (::symlinkat(entry.link.c_str(), below.get(), name.c_str()) != 0) fail(entry.name);
            return;
        }
        file_descriptor const file(::openat(below.get(), name.c_str(),
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, entry.executable ? 0755 : 0644));
        if (!file) fail(entry.name);
        std::vector<char> piece(block_size);
        while (std::size_t const got = entry.read(piece))
            if (auto const error = write_all(file.get(), {piece.data(), got}))
                throw std::runtime_error(error.message());
    }

private:
    [[noreturn]] static void fail(std::string const& name)
    {
        bool const again = errno == EEXIST;
        throw std::runtime_error("the entry \"" + name
            + "\": " + (again ? std::string("another entry has this name") : last_error().message()));
    }
    static auto open_directory(int at, char const* name) -> file_descriptor
    {
        return file_descriptor(::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    [[nodiscard]] auto directory_of(std::vector<std::string> const& parts) const -> file_descriptor
    {
        file_descriptor at(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 0));
        for (std::string const& part : parts) {
            if (::mkdirat(at.get(), part.c_str(), 0755) != 0 && errno != EEXIST) fail(part);
            auto next = open_directory(at.get(), part.c_str());
            if (!next) fail(part);
            at = std::move(next);
        }
        return at;
    }

    file_descriptor root_;
};

// Reads all entries. \throws std::runtime_error
void read_entries(
    fs::path const& archive, std::function<void(archive_entry_view const&)> const& visit, archive_limits limits)
{
    auto const& library = archive_library::instance();
    if (!library.error().empty()) throw std::runtime_error(library.error());
    reader_pointer const from(library.read_new(), library.read_free);
    if (!from) throw std::bad_alloc();
    library.read_support_format_zip_seekable(from.get());
    library.read_support_format_tar(from.get());
    library.read_support_filter_gzip(from.get());
    library.read_support_filter_bzip2(from.get());
    library.read_support_filter_xz(from.get());
    if (library.read_open_filename(from.get(), archive.c_str(), block_size) != ARCHIVE_OK)
        throw std::runtime_error(why_of(library, from.get()));
    std::uint64_t files = 0;
    std::uint64_t bytes = 0;
    for (;;) {
        ::archive_entry* entry = nullptr;
        int const found = library.read_next_header(from.get(), &entry);
        if (found == ARCHIVE_EOF) return;
        if (found != ARCHIVE_OK && found != ARCHIVE_WARN) throw std::runtime_error(why_of(library, from.get()));
        char const* name = library.entry_pathname_utf8(entry);
        if (name == nullptr) name = library.entry_pathname(entry);
        if (name == nullptr) throw std::runtime_error("an entry has no name");
        archive_entry_view view;
        view.name = name;
        auto const type = library.entry_filetype(entry);
        view.directory = type == AE_IFDIR;
        view.executable = (library.entry_perm(entry) & 0111U) != 0;
        if (type == AE_IFLNK) {
            char const* const link = library.entry_symlink(entry);
            if (link == nullptr || *link == '\0')
                throw std::runtime_error("the symbolic link \"" + view.name + "\" has no target");
            view.link = link;
        } else if (library.entry_hardlink(entry) != nullptr || (type != AE_IFREG && type != AE_IFDIR))
            throw std::runtime_error("the entry \"" + view.name + "\" is not a file, a directory or a symbolic link");
        if (++files > limits.files)
            throw std::runtime_error("it has more than " + std::to_string(limits.files) + " entries");
        view.read = [&](std::span<char> into) -> std::size_t {
            auto const got = library.read_data(from.get(), into.data(), into.size());
            if (got < 0) throw std::runtime_error(why_of(library, from.get()));
            bytes += static_cast<std::uint64_t>(got);
            if (bytes > limits.bytes)
                throw std::runtime_error("its files have more than " + std::to_string(limits.bytes) + " bytes");
            return static_cast<std::size_t>(got);
        };
        visit(view);
    }
}

template <class Work>
auto reported(fs::path const& archive, Work const& work) -> infra::diagnostics
{
    try {
        work();
    } catch (std::runtime_error const& e) {
        return {messages::make_error(messages::unusable_archive, {archive.string(), e.what()})};
    }
    return {};
}

}  // namespace

auto read_archive(fs::path const& archive, std::function<void(archive_entry_view const&)> const& visit,
    archive_limits limits) -> infra::diagnostics
{
    return reported(archive, [&] { read_entries(archive, visit, limits); });
}

auto extract_archive(fs::path const& archive, fs::path const& to, archive_limits limits) -> infra::diagnostics
{
    auto problems = reported(archive, [&] {
        extraction made(to);
        read_entries(archive, [&](archive_entry_view const& entry) { made.add(entry); }, limits);
    });
    return problems.empty() ? check_links(to) : problems;
}

auto write_zip(fs::path const& directory, fs::path const& archive) -> infra::diagnostics
{
    return reported(archive, [&] {
        auto const& library = archive_library::instance();
        if (!library.error().empty()) throw std::runtime_error(library.error());
        writer_pointer const to(library.write_new(), library.write_free);
        if (!to) throw std::bad_alloc();
        auto const check = [&](auto result) {
            if (result < 0) throw std::runtime_error(why_of(library, to.get()));
        };
        check(library.write_set_format_zip(to.get()));
        check(library.write_open_filename(to.get(), archive.c_str()));
        for (std::string const& name : files_below(directory)) {
            auto const file = directory / name;
            entry_pointer const entry(library.entry_new(), library.entry_free);
            library.entry_set_pathname(entry.get(), name.c_str());
            library.entry_set_filetype(entry.get(), AE_IFREG);
            library.entry_set_perm(entry.get(), ::access(file.c_str(), X_OK) == 0 ? 0755 : 0644);
            library.entry_set_size(entry.get(), static_cast<la_int64_t>(fs::file_size(file)));
            check(library.write_header(to.get(), entry.get()));
            std::ifstream from(file, std::ios::binary);
            std::vector<char> piece(block_size);
            while (from.read(piece.data(), static_cast<std::streamsize>(piece.size())) || from.gcount() > 0)
                check(library.write_data(to.get(), piece.data(), static_cast<std::size_t>(from.gcount())));
        }
        check(library.write_close(to.get()));
    });
}

}  // namespace iacctl::packages
