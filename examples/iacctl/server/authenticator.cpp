// SPDX-License-Identifier: BSL-1.0
#include "authenticator.hpp"

#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/last_error.hpp"
#include "base/random.hpp"
#include "messages/report.hpp"
#include "messages/server.hpp"
#include "state/state_error.hpp"

#include <sys/stat.h>

#include <utility>

namespace iacctl::server {

namespace {

constexpr std::size_t most_remembered = 1000;

}  // namespace

auto credentials::parse(std::string_view authorization) -> std::optional<credentials>
{
    constexpr std::string_view scheme = "basic ";
    if (ascii_lower_case(authorization.substr(0, scheme.size())) != scheme) return std::nullopt;
    auto const text = from_base64(authorization.substr(scheme.size()));
    auto const colon = text ? text->find(':') : std::string::npos;
    if (colon == std::string::npos || text->find('\0') != std::string::npos) return std::nullopt;
    return credentials{text->substr(0, colon), text->substr(colon + 1)};
}

authenticator::authenticator(std::filesystem::path file) : file_(std::move(file)), salt_(random_bytes(32)) {}

auto authenticator::digest_of(std::string const& authorization) const -> std::string
{
    return digest(salt_ + authorization, digest_kind::sha256);
}

auto authenticator::recall(std::string const& authorization) -> expected<std::optional<caller>>
{
    struct stat now{};
    if (::stat(file_.c_str(), &now) != 0) {
        users_.reset();
        return state::make_failure(messages::users_unreadable, {file_.string(), last_error().message()});
    }
    file_identity const found{now.st_mtim.tv_sec, now.st_mtim.tv_nsec, now.st_ino, now.st_size};
    if (!users_ || found != read_) {
        users_.reset();
        verified_.clear();
        auto read = user_list::read(file_);
        if (!read) return read.error();
        users_ = std::make_shared<user_list const>(std::move(*read));
        read_ = found;
    }
    auto const known = verified_.find(digest_of(authorization));
    return known == verified_.end() ? std::nullopt : std::optional(known->second);
}

void authenticator::remember(
    std::string const& authorization, std::shared_ptr<user_list const> const& list, caller const& verified)
{
    if (list != users_) return;
    if (verified_.size() >= most_remembered) verified_.clear();
    verified_[digest_of(authorization)] = verified;
}

}  // namespace iacctl::server
