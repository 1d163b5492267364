// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_ELEMENT_COUNT_HPP
#define STRIDER_CORE_DETAIL_ELEMENT_COUNT_HPP

#include <strider/version.hpp>

#include <cstddef>
#include <utility>

namespace strider::detail {

// The number of elements of a container, which is zero after a move from the container.
class element_count {
public:
    element_count() = default;
    element_count(element_count const&) = default;
    auto operator=(element_count const&) -> element_count& = default;
    element_count(element_count&& other) noexcept : value_(std::exchange(other.value_, 0)) {}
    auto operator=(element_count&& other) noexcept -> element_count&
    {
        value_ = std::exchange(other.value_, 0);
        return *this;
    }
    ~element_count() = default;

    operator std::size_t() const noexcept { return value_; }  // NOLINT(*-explicit-*)
    void operator++() noexcept { ++value_; }
    void operator--() noexcept { --value_; }

private:
    std::size_t value_ = 0;
};

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_ELEMENT_COUNT_HPP
