// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_IN_PARTS_HPP
#define IACCTL_SUPPORT_IN_PARTS_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <type_traits>
#include <vector>

namespace iacctl {

/// What `part(from, to)` returns for consecutive ranges that make up [0, count), in their order. Many are worked on by as
/// many threads as the machine has, one of which is the caller's; fewer than two times `worth_a_thread` by the caller alone.
/// \pre calls of `part` do not disturb each other
/// \throws what the first part in order that fails has thrown, after all have ended
template <class Part>
[[nodiscard]] auto in_parts(std::size_t count, std::size_t worth_a_thread, Part const& part)
{
    using result = std::invoke_result_t<Part const&, std::size_t, std::size_t>;
    auto const parts =
        std::clamp<std::size_t>(count / worth_a_thread, 1, std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::future<result>> others;
    for (std::size_t i = 1; i < parts; ++i)
        others.push_back(std::async(std::launch::async, std::cref(part), count * i / parts, count * (i + 1) / parts));
    std::vector<result> all;
    all.push_back(part(0, count / parts));
    for (auto& other : others) all.push_back(other.get());
    return all;
}

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_IN_PARTS_HPP
