// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_PARALLEL_CHUNKS_HPP
#define IACCTL_BASE_PARALLEL_CHUNKS_HPP

#include "background_task.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <type_traits>
#include <vector>

namespace iacctl {

/// Returns the results of `part(from, to)` for consecutive ranges that make up [0, count), in their order. The ranges
/// are processed by the calling thread and background threads, `thread_count()` at most; fewer than two times `grain_size`
/// items by the calling thread alone.
/// \pre Calls of `part` are independent of each other.
/// \throws the exception of the first range that fails, when all ranges that have begun have ended
template <class Part>
[[nodiscard]] auto parallel_chunks(std::size_t count, std::size_t grain_size, Part const& part)
{
    using result = std::invoke_result_t<Part const&, std::size_t, std::size_t>;
    auto const parts = std::clamp<std::size_t>(count / grain_size, 1, thread_count());
    std::deque<background_task<result>> others;
    for (std::size_t i = 1; i < parts; ++i)
        others.emplace_back([&part, from = count * i / parts, to = count * (i + 1) / parts] { return part(from, to); });
    std::vector<result> all;
    all.push_back(part(0, count / parts));
    for (auto& other : others) all.push_back(other.get());
    return all;
}

}  // namespace iacctl

#endif  // IACCTL_BASE_PARALLEL_CHUNKS_HPP
