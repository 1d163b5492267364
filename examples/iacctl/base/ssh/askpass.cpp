// SPDX-License-Identifier: BSL-1.0
#include "askpass.hpp"

#include "base/environment.hpp"
#include "base/input_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace iacctl::ssh {

auto this_program() -> std::string
{
    static constexpr std::string_view replaced = " (deleted)";
    std::error_code error;
    std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
    if (path.ends_with(replaced)) path.resize(path.size() - replaced.size());
    return path;
}

auto askpass_environment(std::string const& password_file) -> std::map<std::string, std::string>
{
    return {{password_file_variable, password_file}, {"SSH_ASKPASS", this_program()}, {"SSH_ASKPASS_REQUIRE", "force"}};
}

auto is_askpass(int argument_count) -> bool
{
    return argument_count == 2 && !environment_variable(password_file_variable).empty();
}

auto run_askpass() -> int
{
    auto const content = read_input(environment_variable(password_file_variable));
    if (!content) return 1;
    std::string const line = *content + "\n";
    for (std::string_view left = line; !left.empty();) {
        ssize_t const written = ::write(STDOUT_FILENO, left.data(), left.size());
        if (written < 0 && errno != EINTR) return 1;
        if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    }
    return 0;
}

}  // namespace iacctl::ssh
