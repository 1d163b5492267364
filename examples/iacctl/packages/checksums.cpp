// SPDX-License-Identifier: BSL-1.0
#include "checksums.hpp"

#include "archive.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "messages/installation.hpp"
#include "messages/report.hpp"
#include "package_files.hpp"

#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace iacctl::packages {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_size = std::size_t{1} << 17U;

// \throws std::runtime_error
auto file_digest(fs::path const& file) -> std::string
{
    std::ifstream from(file, std::ios::binary);
    if (!from) throw std::runtime_error("\"" + file.string() + "\" cannot be read");
    sha256_stream sum;
    std::vector<char> piece(piece_size);
    while (from.read(piece.data(), static_cast<std::streamsize>(piece.size())) || from.gcount() > 0)
        sum.add({piece.data(), static_cast<std::size_t>(from.gcount())});
    if (from.bad()) throw std::runtime_error("\"" + file.string() + "\" cannot be read");
    return hex(sum.finish());
}

// The checksum of lines "DIGEST  NAME".
auto checksum_of(std::map<std::string, std::string> const& digests) -> std::string
{
    std::string lines;
    for (auto const& [name, digest] : digests) {
        if (name.find('\n') != std::string::npos) throw std::runtime_error("the name of a file has a line break");
        lines += digest + "  " + name + "\n";
    }
    return "h1:" + base64(digest(lines, digest_kind::sha256));
}

auto unreadable(fs::path const& file, char const* why) -> infra::failure
{
    return infra::failure(messages::make_error(messages::package_file_unreadable, {file.string(), why}));
}

}  // namespace

auto content_checksum(local_package const& package) -> expected<std::string>
{
    try {
        std::map<std::string, std::string> digests;
        if (!package.archive) {
            auto const directory = fs::canonical(package.path);
            for (auto const& name : files_below(directory)) digests.emplace(name, file_digest(directory / name));
            return checksum_of(digests);
        }
        auto problems = read_archive(package.path, [&](archive_entry_view const& entry) {
            sha256_stream sum;
            std::vector<char> piece(piece_size);
            while (std::size_t const got = entry.read(piece)) sum.add({piece.data(), got});
            digests.insert_or_assign(entry.name, hex(sum.finish()));
        });
        if (!problems.empty()) return infra::failure(std::move(problems));
        return checksum_of(digests);
    } catch (std::runtime_error const& e) {
        return unreadable(package.path, e.what());
    }
}

auto archive_checksum(fs::path const& archive) -> expected<std::string>
{
    try {
        return "zh:" + file_digest(archive);
    } catch (std::runtime_error const& e) {
        return unreadable(archive, e.what());
    }
}

auto matches_any(local_package const& package, std::set<std::string> const& checksums) -> expected<bool>
{
    auto const has = [&](std::string_view scheme) {
        auto const first = checksums.lower_bound(std::string(scheme));
        return first != checksums.end() && first->starts_with(scheme);
    };
    if (package.archive && has("zh:")) {
        auto const sum = archive_checksum(package.path);
        if (!sum) return sum.error();
        if (checksums.contains(*sum)) return true;
    }
    if (!has("h1:")) return false;
    auto const sum = content_checksum(package);
    if (!sum) return sum.error();
    return checksums.contains(*sum);
}

}  // namespace iacctl::packages
