// SPDX-License-Identifier: BSL-1.0
#include "node_features.hpp"

#include "base/blocking_child.hpp"

#include <chrono>
#include <cstddef>
#include <utility>

namespace iacctl::slurm {

auto features_of(std::string const& nodes) -> std::vector<std::string>
{
    child_command asking;
    asking.words = {"sinfo", "--noheader", "--nodes=" + nodes, "--format=%b"};
    auto const answer = run_child(std::move(asking), std::chrono::seconds(20), std::size_t{1} << 16U);
    std::vector<std::string> all;
    std::string one;
    for (char const c : answer.output + "\n") {
        bool const between = c == ',' || c == '\n' || c == ' ';
        if (!between) one += c;
        else if (!one.empty()) all.push_back(std::exchange(one, {}));
    }
    return all;
}

}  // namespace iacctl::slurm
