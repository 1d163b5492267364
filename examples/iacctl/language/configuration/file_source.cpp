// SPDX-License-Identifier: BSL-1.0
#include "file_source.hpp"

#include <system_error>

namespace iacctl::language {

boost::system::result<std::vector<std::string>> file_source::list(std::filesystem::path const& directory) const
{
    std::vector<std::string> names;
    std::error_code problem;
    std::filesystem::directory_iterator entries(directory.empty() ? "." : directory, problem);
    for (std::filesystem::directory_iterator const end; !problem && entries != end; entries.increment(problem))
        if (std::error_code ignored; !entries->is_directory(ignored))
            names.push_back(entries->path().filename().string());
    if (problem) return boost::system::error_code(problem);
    return names;
}

boost::system::result<std::string> file_source::read(std::filesystem::path const& file, input_kind accepted) const
{
    return read_input(file, accepted);
}

file_source const& disk() noexcept
{
    static file_source const files;
    return files;
}

}  // namespace iacctl::language
