// SPDX-License-Identifier: BSL-1.0
#include "lock_holder.hpp"

#include "base/timestamp.hpp"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace iacctl::state {

namespace {

auto this_host() -> std::string
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string("unknown host");
}

auto this_user() -> std::string
{
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
        return found->pw_name;
    return "user " + std::to_string(::geteuid());
}

}  // namespace

auto lock_holder::process() const -> std::string
{
    return "process " + std::to_string(pid) + " of " + user + "@" + host;
}

auto lock_holder::phrase() const -> std::string
{
    return operation + ", " + process() + ", started " + timestamp::of_unix_ms(started).text();
}

auto this_process(std::string_view operation) -> lock_holder
{
    return {::getpid(), this_host(), this_user(), std::string(operation), now_ms()};
}

}  // namespace iacctl::state
