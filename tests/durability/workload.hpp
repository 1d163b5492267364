// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTS_DURABILITY_WORKLOAD_HPP
#define IACCTL_TESTS_DURABILITY_WORKLOAD_HPP

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace iacctl::durability {

namespace fs = std::filesystem;

/// The judgement on what is there after a fault.
struct verdict {
    enum class result_type : std::uint8_t {
        sound,
        lost,       ///< a change that was reported is gone, or state cannot be read
        different,  ///< state is read without an error, and is no state that ever was
    };

    result_type result = result_type::sound;
    std::string why;
};

/// Work on the files of a directory, which a fault interrupts.
struct workload {
    std::string name;
    /// Makes the files that are there before.
    std::function<void(fs::path const&)> prepare;
    /// Does the work, and calls the function with the number of steps that are complete: these must survive.
    /// \return false: an error was reported
    std::function<bool(fs::path const&, std::function<void(std::uint64_t)> const&)> run;
    /// Number of steps.
    std::uint64_t steps = 0;
    /// Recovers, compares, and does the rest of the work.
    /// \param reported  number of steps that were reported as complete
    std::function<verdict(fs::path const&, std::uint64_t reported)> judge;
};

/// All of them, from a seed.
/// \param samples  directory of databases of earlier formats
[[nodiscard]] auto make_workloads(std::uint64_t seed, fs::path const& samples) -> std::vector<workload>;

}  // namespace iacctl::durability

#endif  // IACCTL_TESTS_DURABILITY_WORKLOAD_HPP
