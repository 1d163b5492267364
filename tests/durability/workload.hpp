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

/// The judgement of the files after a fault.
struct verdict {
    enum class result_type : std::uint8_t {
        sound,
        lost,       ///< a reported change is lost, or state cannot be read
        different,  ///< state is read without an error, but never existed
    };

    result_type result = result_type::sound;
    std::string why;
    std::uint64_t images = 1;  ///< states of files that were judged
};

/// Receives the number of complete steps, which must survive.
using reporter = std::function<void(std::uint64_t)>;

/// Work on the files of a directory, which a fault interrupts.
struct workload {
    std::string name;
    /// Creates the files before the work.
    std::function<void(fs::path const&)> prepare;
    /// Does the work, and reports complete steps.
    /// \return false: an error was reported
    std::function<bool(fs::path const&, reporter const&)> run;
    /// Number of steps.
    std::uint64_t steps = 0;
    /// Recovers, compares, does the rest of the work, and reports its steps.
    /// \param reported  the number of steps that were reported as complete
    std::function<verdict(fs::path const&, std::uint64_t reported, reporter const&)> judge;
};

/// All workloads, from a seed.
/// \param samples  the directory of databases of earlier formats
[[nodiscard]] auto make_workloads(std::uint64_t seed, fs::path const& samples) -> std::vector<workload>;

}  // namespace iacctl::durability

#endif  // IACCTL_TESTS_DURABILITY_WORKLOAD_HPP
