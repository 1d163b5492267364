// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_RANDOM_GENERATOR_HPP
#define STRIDER_TESTS_FUZZ_RANDOM_GENERATOR_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strider::test {

/// Random numbers that are the same with every standard library (splitmix64).
class random_generator {
public:
    explicit random_generator(std::uint64_t seed) : state_(seed) {}

    [[nodiscard]] auto next() -> std::uint64_t
    {
        std::uint64_t z = (state_ += 0x9e37'79b9'7f4a'7c15U);
        z = (z ^ (z >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d0'49bb'1331'11ebU;
        return z ^ (z >> 31U);
    }
    /// A number below `n`. \pre n > 0
    [[nodiscard]] auto below(std::size_t n) -> std::size_t { return static_cast<std::size_t>(next() % n); }
    [[nodiscard]] auto one_in(std::size_t n) -> bool { return below(n) == 0; }
    /// \pre `all` is not empty
    template <class T>
    [[nodiscard]] auto pick(std::vector<T> const& all) -> T const&
    {
        return all[below(all.size())];
    }

private:
    std::uint64_t state_;
};

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_RANDOM_GENERATOR_HPP
