// SPDX-License-Identifier: BSL-1.0
#include "users.hpp"

#include "base/digest.hpp"
#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "base/random.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "state/state_error.hpp"
#include "state/workspace_name.hpp"

#include <crypt.h>
#include <openssl/crypto.h>

#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace iacctl::server {

using state::make_failure;

namespace {

constexpr unsigned long bcrypt_cost = 11;
constexpr std::size_t longest_password = 72;  // of bcrypt

// Empty if the C library does not support the method of the setting.
auto hashed(std::string const& password, std::string const& setting) -> std::string
{
    auto const data = std::make_unique<crypt_data>();
    char const* const made =
        crypt_rn(password.c_str(), setting.c_str(), data.get(), static_cast<int>(sizeof(crypt_data)));
    return made == nullptr ? std::string() : std::string(made);
}

auto new_hash(std::string const& password) -> std::string
{
    auto const salt = random_bytes(16);
    std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
    char const* const made = crypt_gensalt_rn("$2b$", bcrypt_cost, salt.data(), static_cast<int>(salt.size()),
        setting.data(), static_cast<int>(setting.size()));
    return made == nullptr ? std::string() : hashed(password, made);
}

// A line of a file of users.
struct user_line {
    std::string_view name;
    std::string_view hash;
    std::string_view role;
};

auto read_user(std::string_view text) -> user_line
{
    auto const first = std::min(text.find(':'), text.size());
    user_line found{text.substr(0, first), text.substr(std::min(first + 1, text.size())), "write"};
    if (auto const second = found.hash.find(':'); second != found.hash.npos) {
        found.role = found.hash.substr(second + 1);
        found.hash = found.hash.substr(0, second);
    }
    return found;
}

// Calls `f` with each line without its end.
template <class Function>
void for_each_line(std::string_view text, Function f)
{
    while (!text.empty()) {
        auto const end = std::min(text.find('\n'), text.size());
        std::string_view one = text.substr(0, end);
        if (one.ends_with('\r')) one.remove_suffix(1);
        f(one);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

}  // namespace

auto user_list::read(std::filesystem::path const& file) -> expected<user_list>
{
    auto const text = read_input(file);
    if (!text) return make_failure(messages::users_unreadable, {file.string(), text.error().message()});
    user_list read;
    int number = 0;
    int wrong = 0;
    for_each_line(*text, [&](std::string_view content) {
        ++number;
        if (content.empty() || content.starts_with('#')) return;
        auto const [name, hash, role_name] = read_user(content);
        bool const is_user =
            state::is_workspace_name(name) && hash.starts_with('$') && (role_name == "read" || role_name == "write");
        if (is_user) read.all_[std::string(name)] = {std::string(hash), role_name == "read" ? role::read : role::write};
        else if (wrong == 0) wrong = number;
    });
    if (wrong != 0) return make_failure(messages::users_malformed, {file.string(), std::to_string(wrong)});
    return read;
}

auto user_list::verify(std::string const& name, std::string const& password) const -> std::optional<caller>
{
    static std::string const of_nobody = new_hash("of nobody");
    auto const found = all_.find(name);
    std::string const& hash = found == all_.end() ? of_nobody : found->second.hash;
    std::string const made = hashed(password, hash);
    bool const is_right = made.size() == hash.size() && CRYPTO_memcmp(made.data(), hash.data(), hash.size()) == 0
        && password.size() <= longest_password;
    if (!is_right || found == all_.end()) return std::nullopt;
    return caller{name, found->second.may};
}

auto user_list::find(std::string_view name) const -> std::optional<known_user>
{
    auto const found = all_.find(name);
    if (found == all_.end()) return std::nullopt;
    return known_user{{found->first, found->second.may}, digest(found->second.hash, digest_kind::sha256)};
}

auto add_user(std::filesystem::path const& file, std::string const& name, role may, std::string const& password)
    -> expected<void>
{
    if (!state::is_workspace_name(name) || name.find(':') != name.npos)
        return make_failure(messages::user_name_invalid, {name});
    if (password.empty() || password.size() > longest_password || password.find('\0') != password.npos)
        return make_failure(messages::password_invalid);
    auto const present = read_input(file);
    if (!present && !is_missing(present.error()))
        return make_failure(messages::users_unreadable, {file.string(), present.error().message()});
    std::string const hash = new_hash(password);
    if (hash.empty()) return make_failure(messages::password_not_hashed);
    std::string text;
    for_each_line(present ? std::string_view(*present) : std::string_view(), [&](std::string_view content) {
        if (read_user(content).name != name) text += std::string(content) + '\n';
    });
    text += name + ':' + hash + (may == role::read ? ":read\n" : ":write\n");
    error_code error = replace_file(file, text);
    if (!error) error = sync_directory(file.has_parent_path() ? file.parent_path() : ".");
    if (error) return make_failure(messages::users_not_writable, {file.string(), error.message()});
    return {};
}

}  // namespace iacctl::server
