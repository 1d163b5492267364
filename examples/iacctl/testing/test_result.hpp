// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_TESTING_TEST_RESULT_HPP
#define IACCTL_TESTING_TEST_RESULT_HPP

#include "language/configuration/test_file.hpp"
#include "workspace/plan_file.hpp"

#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/snapshot.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::testing {

namespace infra = strider::infra;

/// The result of a run, of a file, or of all files. The combined result of two is the greater one.
enum class test_status : std::uint8_t { pending, skip, pass, fail, error };

/// The name in machine-readable output.
[[nodiscard]] constexpr auto to_string(test_status status) noexcept -> std::string_view
{
    switch (status) {
    case test_status::pending: return "pending";
    case test_status::skip: return "skip";
    case test_status::pass: return "pass";
    case test_status::fail: return "fail";
    case test_status::error: break;
    }
    return "error";
}

struct run_result {
    std::string name;
    test_status status = test_status::pending;
    infra::diagnostics problems;
    std::size_t assertions = 0;
    std::string begun;  ///< RFC 3339; empty: the run was skipped
    double seconds = 0;
    std::optional<workspace::saved_plan> plan;  ///< of a plan, if it was requested
    std::optional<infra::snapshot> state;  ///< after an apply, if it was requested
};

struct file_result {
    std::string name;
    test_status status = test_status::pending;
    std::vector<run_result> runs;
    infra::diagnostics problems;
};

struct suite_result {
    test_status status = test_status::pending;
    std::vector<file_result> files;
    bool interrupted = false;

    [[nodiscard]] auto count(test_status ts) const -> std::size_t
    {
        std::size_t all = 0;
        for (file_result const& file : files)
            all += static_cast<std::size_t>(std::ranges::count(file.runs, ts, &run_result::status));
        return all;
    }
};

/// The objects of a state that the end of a file did not destroy.
struct clean_up {
    std::string run;  ///< the run that changed the state last
    infra::diagnostics problems;
    std::vector<std::string> left;  ///< addresses; of a deposed object with its key in parentheses
};

/// Receives the events of tests. Calls are sequential, but on several threads.
class test_listener {
public:
    test_listener() = default;
    test_listener(test_listener const&) = delete;
    auto operator=(test_listener const&) -> test_listener& = delete;
    virtual ~test_listener() = default;

    virtual void begins(std::vector<language::test_file> const& files) = 0;
    virtual void file_begins(std::string const& file) = 0;
    virtual void run_begins(std::string const& file, std::string const& run) = 0;
    /// Is called in the order of the file, also for parallel runs that end in another order.
    virtual void run_ends(std::string const& file, run_result const& result) = 0;
    virtual void tears_down(std::string const& file) = 0;
    virtual void clean_up_begins(std::string const& file, std::string const& run) = 0;
    virtual void clean_up_ends(std::string const& file, clean_up const& up) = 0;
    /// \param left  addresses of the existing objects
    virtual void is_interrupted(std::string const& file, int count, std::vector<std::string> const& left) = 0;
    virtual void file_ends(file_result const& result) = 0;
    virtual void ends(suite_result const& result) = 0;
};

}  // namespace iacctl::testing

#endif  // IACCTL_TESTING_TEST_RESULT_HPP
