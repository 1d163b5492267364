// SPDX-License-Identifier: BSL-1.0
#include "resource_type.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace iacctl::providers {

namespace {

using language::type;
using strider::infra::diagnostics;
using strider::infra::lookup_answer;
using strider::infra::make_error;
using strider::infra::operation_kind;

auto digest(std::string_view text, EVP_MD const* algorithm) -> std::vector<unsigned char>
{
    std::vector<unsigned char> bytes(EVP_MAX_MD_SIZE);
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), bytes.data(), &size, algorithm, nullptr);
    bytes.resize(size);
    return bytes;
}

auto hex(std::vector<unsigned char> const& bytes) -> std::string
{
    std::string text;
    for (unsigned char const b : bytes) {
        text += "0123456789abcdef"[b >> 4U];
        text += "0123456789abcdef"[b & 15U];
    }
    return text;
}

auto base64(std::vector<unsigned char> const& bytes) -> std::string
{
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    int const size =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes.data(), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

auto from_base64(std::string_view text) -> std::optional<std::string>
{
    std::string bytes(3 * (text.size() / 4 + 1), '\0');
    int const size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
        reinterpret_cast<unsigned char const*>(text.data()), static_cast<int>(text.size()));
    if (size < 0 || text.size() % 4 != 0) return std::nullopt;
    auto padded = static_cast<std::size_t>(size);
    if (text.ends_with("==")) padded -= 2;
    else if (text.ends_with("=")) padded -= 1;
    bytes.resize(padded);
    return bytes;
}

auto read_whole(std::string const& path) -> std::optional<std::string>
{
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad()) return std::nullopt;
    return text;
}

/// Bytes on their way to becoming a file. Until they are one they have no name where the file system can do that, so
/// that a process that is killed leaves nothing behind; elsewhere a name of their own beside the file's.
class unpublished_file {
public:
    unpublished_file(std::string path, mode_t mode) : path_(std::move(path))
    {
        std::string const directory = std::filesystem::path(path_).parent_path().string();
        fd_ = ::open(directory.empty() ? "." : directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
        if (fd_ >= 0) return;
        name_ = other_name();
        fd_ = ::open(name_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    }
    unpublished_file(unpublished_file const&) = delete;
    auto operator=(unpublished_file const&) -> unpublished_file& = delete;
    ~unpublished_file()
    {
        if (fd_ < 0) return;
        ::close(fd_);
        if (!name_.empty()) ::unlink(name_.c_str());
    }

    /// False: errno tells why.
    [[nodiscard]] auto write(std::string_view text) const -> bool
    {
        if (fd_ < 0) return false;
        while (!text.empty()) {
            ssize_t const written = ::write(fd_, text.data(), text.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return ::fsync(fd_) == 0;
    }

    /// The file is there now, whole, in place of what was there. False: errno tells why.
    [[nodiscard]] auto publish() -> bool
    {
        if (name_.empty()) {
            if (link_to(path_)) return true;
            if (errno != EEXIST) return false;
            // A link never replaces: what is there gives way to a second name.
            std::string const second = other_name();
            if (!link_to(second)) return false;
            name_ = second;
        }
        if (::rename(name_.c_str(), path_.c_str()) != 0) return false;
        name_.clear();
        return true;
    }

private:
    [[nodiscard]] auto other_name() const -> std::string
    {
        std::vector<unsigned char> bytes(4);
        RAND_bytes(bytes.data(), static_cast<int>(bytes.size()));
        return path_ + "." + hex(bytes);
    }
    [[nodiscard]] auto link_to(std::string const& name) const -> bool
    {
        std::string const self = "/proc/self/fd/" + std::to_string(fd_);
        return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }

    std::string path_;
    std::string name_;
    int fd_ = -1;
};

/// A file that appears whole or not at all.
auto write_whole(std::string const& path, std::string_view text, mode_t mode) -> std::error_code
{
    unpublished_file file(path, mode);
    if (file.write(text) && file.publish()) return {};
    return {errno, std::generic_category()};
}

auto text_of(value const& of, std::string_view name) -> std::string
{
    value const v = attribute(of, name).unmarked();
    return v.has_data() ? v.as_string() : std::string();
}

/// A file with a content, made anew whenever anything about it changes.
///
/// \source hashicorp/local, resource local_file: schema, and what counts as gone.
class local_file_type final : public plain_resource_type {
public:
    [[nodiscard]] auto name() const noexcept -> std::string_view override { return "local_file"; }
    [[nodiscard]] auto provider() const noexcept -> std::string_view override
    {
        return "provider[\"registry.terraform.io/hashicorp/local\"]";
    }
    [[nodiscard]] auto schema() const noexcept -> language::schema const& override
    {
        static language::schema const s = [] {
            language::schema made;
            for (std::string_view const input : inputs) {
                language::schema_attribute attribute{.name = std::string(input), .of = type::string()};
                attribute.required = input == "filename";
                attribute.optional = !attribute.required;
                attribute.computed = input.ends_with("permission");
                attribute.sensitive = input == "sensitive_content";
                made.attributes.push_back(std::move(attribute));
            }
            for (std::string_view const output : outputs)
                made.attributes.push_back({.name = std::string(output), .of = type::string(), .computed = true});
            std::sort(made.attributes.begin(), made.attributes.end(),
                [](auto const& x, auto const& y) { return x.name < y.name; });
            return made;
        }();
        return s;
    }

    [[nodiscard]] auto plan(std::optional<value> const& prior, value const& wanted) const -> checked<planned> override
    {
        value after = wanted;
        for (auto const* const permission : {"file_permission", "directory_permission"}) {
            value const given = attribute(wanted, permission);
            if (given.is_null()) after = with(after, {{permission, value("0777")}});
            else if (given.has_data() && !mode_of(text_of(wanted, permission)))
                return strider::infra::failure(make_error("Invalid " + std::string(permission),
                    "The permission \"" + text_of(wanted, permission)
                        + "\" is not valid: it must be a string of three or four octal digits, such as \"0644\"."));
        }
        std::size_t contents = 0;
        for (auto const* const content : {"content", "content_base64", "sensitive_content", "source"})
            if (!attribute(wanted, content).is_null()) ++contents;
        if (contents > 1)
            return strider::infra::failure(make_error("Invalid combination of arguments",
                "Only one of \"content\", \"content_base64\", \"sensitive_content\" and \"source\" can be given."));

        std::vector<std::string> because;
        if (prior)
            for (auto const* const input : inputs)
                if (attribute(*prior, input).unmarked_deep() != attribute(after, input).unmarked_deep())
                    because.emplace_back(input);
        bool const keeps = prior.has_value() && because.empty();
        for (auto const* const output : outputs)
            after = with(after,
                {{output, keeps ? attribute(*prior, output) : value::unknown(type::string()).refined_not_null()}});
        return planned(std::move(after), std::move(because));
    }

protected:
    [[nodiscard]] auto read_now(value const& prior) const -> checked<std::optional<value>> override
    {
        auto const text = read_whole(text_of(prior, "filename"));
        if (!text || hex(digest(*text, EVP_sha1())) != text_of(prior, "id")) return std::optional<value>();
        return {prior};
    }

    [[nodiscard]] auto apply_now(apply_request const& request) const -> applied override
    {
        if (!request.planned) return destroy(*request.prior);
        value const& wish = *request.planned;
        auto const content = content_of(wish);
        std::string const path = text_of(wish, "filename");
        if (!content)
            return applied(
                std::nullopt, failed("Create local file error", "The content for " + path + " cannot be read."));
        namespace fs = std::filesystem;
        fs::path const directory = fs::path(path).parent_path();
        std::error_code error;
        if (!directory.empty() && !fs::exists(directory, error)) {
            fs::create_directories(directory, error);
            if (!error)
                fs::permissions(
                    directory, static_cast<fs::perms>(*mode_of(text_of(wish, "directory_permission"))), error);
            if (error)
                return applied(std::nullopt,
                    failed("Create local file error",
                        "The directory " + directory.string() + " cannot be made: " + error.message() + "."));
        }
        if (fs::is_directory(path, error)) error = std::make_error_code(std::errc::is_a_directory);
        else error = write_whole(path, *content, *mode_of(text_of(wish, "file_permission")));
        if (error)
            return applied(std::nullopt,
                failed("Create local file error",
                    "An unexpected error occurred while writing the file " + path + ": " + error.message() + "."));
        return applied(made(wish, *content));
    }

    [[nodiscard]] auto look_up_now(apply_request const& request) const -> looked_up override
    {
        std::error_code error;
        if (request.operation.kind == operation_kind::destroy) {
            if (!request.prior) return looked_up(lookup_answer::unknown);
            bool const there = std::filesystem::exists(text_of(*request.prior, "filename"), error);
            return looked_up(there ? lookup_answer::not_done : lookup_answer::done);
        }
        if (!request.planned) return looked_up(lookup_answer::not_done);
        auto const wanted = content_of(*request.planned);
        auto const there = read_whole(text_of(*request.planned, "filename"));
        if (!wanted || !there || *wanted != *there) return looked_up(lookup_answer::not_done);
        return looked_up(lookup_answer::done, made(*request.planned, *there));
    }

private:
    static constexpr std::array inputs{"content", "content_base64", "sensitive_content", "source", "filename",
        "file_permission", "directory_permission"};
    static constexpr std::array outputs{"id", "content_md5", "content_sha1", "content_sha256", "content_base64sha256",
        "content_sha512", "content_base64sha512"};

    static auto failed(std::string summary, std::string detail) -> diagnostics
    {
        diagnostics d;
        d.push_back(make_error(std::move(summary), std::move(detail)));
        return d;
    }

    static auto mode_of(std::string_view text) -> std::optional<mode_t>
    {
        unsigned mode = 0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
        bool const fine =
            error == std::errc() && end == text.data() + text.size() && text.size() >= 3 && text.size() <= 4;
        return fine ? std::optional(static_cast<mode_t>(mode)) : std::nullopt;
    }

    static auto content_of(value const& wish) -> std::optional<std::string>
    {
        if (!attribute(wish, "content_base64").is_null()) return from_base64(text_of(wish, "content_base64"));
        if (!attribute(wish, "source").is_null()) return read_whole(text_of(wish, "source"));
        if (!attribute(wish, "sensitive_content").is_null()) return text_of(wish, "sensitive_content");
        return text_of(wish, "content");
    }

    static auto made(value const& wish, std::string const& content) -> value
    {
        auto const sha1 = value(hex(digest(content, EVP_sha1())));
        auto const sha256 = digest(content, EVP_sha256());
        auto const sha512 = digest(content, EVP_sha512());
        return with(wish,
            {{"id", sha1}, {"content_md5", value(hex(digest(content, EVP_md5())))}, {"content_sha1", sha1},
                {"content_sha256", value(hex(sha256))}, {"content_base64sha256", value(base64(sha256))},
                {"content_sha512", value(hex(sha512))}, {"content_base64sha512", value(base64(sha512))}});
    }

    static auto destroy(value const& prior) -> applied
    {
        std::string const path = text_of(prior, "filename");
        std::error_code error;
        std::filesystem::remove(path, error);
        if (!error) return applied(std::nullopt);
        return applied(prior,
            failed("Delete local file error", "The file " + path + " cannot be removed: " + error.message() + "."));
    }
};

}  // namespace

auto local_file() -> resource_type const&
{
    static local_file_type const instance;
    return instance;
}

}  // namespace iacctl::providers
