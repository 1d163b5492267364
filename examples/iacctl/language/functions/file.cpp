// SPDX-License-Identifier: BSL-1.0
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/environment.hpp"
#include "base/input_file.hpp"
#include "base/unicode.hpp"
#include "file_content.hpp"
#include "function_table.hpp"

#include <boost/system/errc.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace iacctl::language::detail {

namespace {

namespace fs = std::filesystem;

[[nodiscard]] auto expanded(std::string const& path) -> std::string
{
    if (path != "~" && !path.starts_with("~/")) return path;
    auto const home = environment_variable("HOME");
    return home.empty() ? path : home + path.substr(1);
}

/// The reason why `expanded` cannot expand a path: it begins with the home directory of another user.
[[nodiscard]] auto refuse_other_home(value const& path) -> std::optional<call_failure>
{
    auto const& text = path.as_string();
    if (text == "~" || !text.starts_with('~') || text.starts_with("~/")) return std::nullopt;
    return call_failure(0, "only the home directory of this user is expanded, not " + to_json(path));
}

/// Go's path.Clean: removes double slashes, `.`, and `..` where possible.
[[nodiscard]] auto cleaned(std::string const& path) -> std::string
{
    auto made = fs::path(path).lexically_normal().string();
    if (made.size() > 1 && made.ends_with('/')) made.pop_back();
    return made.empty() ? "." : made;
}

}  // namespace

auto refuse_file_name(value const& path) -> std::optional<call_failure>
{
    if (path.as_string().find('\0') == std::string::npos) return std::nullopt;
    return call_failure(0, "the name of a file cannot contain a NUL character");
}

auto read_file(value const& path) -> call_result<file_content>
{
    auto const& given = path.as_string();
    if (auto problem = refuse_file_name(path)) return *problem;
    if (auto problem = refuse_other_home(path)) return *problem;
    auto const name = cleaned(expanded(given));
    auto text = read_input(name);
    if (text && text->size() > longest_text)
        return call_failure(0, "the file " + given + " is larger than 256 MiB, the maximum for functions");
    if (text) return file_content{std::move(*text)};
    auto const why = text.error();
    if (is_missing(why))
        return call_failure(0,
            "there is no file " + to_json(value(given))
                + "; if a resource creates the file, refer to the attribute of the resource that has its content");
    if (why == boost::system::errc::is_a_directory) return call_failure(0, given + " is a directory, not a file");
    return call_failure(0, "the file " + to_json(value(given)) + " cannot be read: " + why.message());
}

auto read_text_file(value const& path) -> call_result<file_content>
{
    auto read = read_file(path);
    if (!read || is_utf8(read->bytes)) return read;
    return call_failure(0,
        "the file " + path.as_string() + " is not UTF-8 text: " + utf8_mistake(read->bytes)
            + ". Use filebase64 to read a binary file, and functions such as filesha256 to compute its checksum");
}

auto system_text(std::string bytes, std::string const& subject) -> call_result<value>
{
    if (is_utf8(bytes)) return value(std::move(bytes));
    return call_failure(subject + " \"" + shown_bytes(bytes) + "\" is not UTF-8 text: " + utf8_mistake(bytes));
}

namespace {

void add_file_digest(function_table& table, std::string_view name, digest_kind kind, bool in_base64)
{
    table.add(
        name, {{"path", type::string()}}, type::string(), [kind, in_base64](arguments given) -> call_result<value> {
            auto const read = read_file(given[0]);
            if (!read) {
                std::error_code problem;
                bool const named = !refuse_file_name(given[0]) && !refuse_other_home(given[0]);
                if (!named || fs::exists(cleaned(expanded(given[0].as_string())), problem)) return read.error();
                return call_failure("there is no file " + to_json(given[0]));
            }
            auto const sum = digest(read->bytes, kind);
            return value(in_base64 ? base64(sum) : hex(sum));
        });
}

}  // namespace

void add_file_functions(function_table& table)
{
    parameter const path{"path", type::string()};
    table.add("file", {path}, type::string(), [](arguments given) -> call_result<value> {
        auto read = read_text_file(given[0]);
        if (!read) return read.error();
        return value(std::move(read->bytes));
    });
    table.add("filebase64", {path}, type::string(), [](arguments given) -> call_result<value> {
        auto const read = read_file(given[0]);
        if (!read) return read.error();
        return value(base64(read->bytes));
    });
    table.add("fileexists", {path}, type::boolean(), [](arguments given) -> call_result<value> {
        if (auto problem = refuse_file_name(given[0])) return *problem;
        if (auto problem = refuse_other_home(given[0])) return *problem;
        std::error_code problem;
        auto const status = fs::status(cleaned(expanded(given[0].as_string())), problem);
        if (!fs::exists(status)) return value(false);
        if (fs::is_regular_file(status)) return value(true);
        return call_failure(
            to_json(given[0]) + (fs::is_directory(status) ? " is a directory, not a file" : " is not a regular file"));
    });
    add_file_digest(table, "filemd5", digest_kind::md5, false);
    add_file_digest(table, "filesha1", digest_kind::sha1, false);
    add_file_digest(table, "filesha256", digest_kind::sha256, false);
    add_file_digest(table, "filesha512", digest_kind::sha512, false);
    add_file_digest(table, "filebase64sha256", digest_kind::sha256, true);
    add_file_digest(table, "filebase64sha512", digest_kind::sha512, true);
    table.add("pathexpand", {path}, type::string(), [](arguments given) -> call_result<value> {
        if (auto problem = refuse_other_home(given[0])) return *problem;
        return system_text(expanded(given[0].as_string()), "the path");
    });
    table.add("abspath", {path}, type::string(), [](arguments given) -> call_result<value> {
        std::error_code problem;
        auto const made = fs::absolute(cleaned(given[0].as_string()), problem);
        if (problem) return call_failure(problem.message());
        return system_text(cleaned(made.string()), "the path");
    });
    table.add("basename", {path}, type::string(), [](arguments given) -> call_result<value> {
        auto name = given[0].as_string();
        if (name.empty()) return value(".");
        while (name.size() > 1 && name.ends_with('/')) name.pop_back();
        auto const slash = name.rfind('/');
        return value(name == "/" || slash == std::string::npos ? name : name.substr(slash + 1));
    });
    table.add("dirname", {path}, type::string(), [](arguments given) -> call_result<value> {
        auto const& name = given[0].as_string();
        auto const slash = name.rfind('/');
        return value(slash == std::string::npos ? "." : cleaned(name.substr(0, slash + 1)));
    });
}

}  // namespace iacctl::language::detail
