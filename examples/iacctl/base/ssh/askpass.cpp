// SPDX-License-Identifier: BSL-1.0
#include "askpass.hpp"

#include "base/durable_file.hpp"
#include "base/environment.hpp"
#include "base/input_file.hpp"

#include <unistd.h>

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
    return write_all(STDOUT_FILENO, *content + "\n") ? 1 : 0;
}

}  // namespace iacctl::ssh
