// SPDX-License-Identifier: BSL-1.0
#include "file_source.hpp"

#include <map>
#include <mutex>
#include <system_error>

namespace iacctl::language {

namespace {

// A pipe can be read only once, so its content is stored for later readers.
class file_system final : public file_source {
public:
    [[nodiscard]] auto read(std::filesystem::path const& file, input_kind accepted) const
        -> boost::system::result<std::string> override
    {
        std::error_code ignored;
        if (accepted != input_kind::file_or_pipe || !std::filesystem::is_fifo(file, ignored))
            return read_input(file, accepted);
        std::scoped_lock const lock(mutex_);
        auto known = pipes_.find(file);
        if (known == pipes_.end()) known = pipes_.emplace(file, read_input(file, accepted)).first;
        return known->second;
    }

private:
    mutable std::mutex mutex_;
    mutable std::map<std::filesystem::path, boost::system::result<std::string>> pipes_;
};

}  // namespace

auto file_source::list(std::filesystem::path const& directory) const -> boost::system::result<std::vector<std::string>>
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

auto file_source::read(std::filesystem::path const& file, input_kind accepted) const
    -> boost::system::result<std::string>
{
    return read_input(file, accepted);
}

auto disk() noexcept -> file_source const&
{
    static file_system const files;
    return files;
}

}  // namespace iacctl::language
