// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_COUNTED_HPP
#define IACCTL_LANGUAGE_VALUES_COUNTED_HPP

#include <atomic>

namespace iacctl::language::detail {

/// The base of constant data that values or types share: counts their references. For `boost::intrusive_ptr`.
struct counted {
    counted() = default;
    counted(counted const&) = delete;
    auto operator=(counted const&) -> counted& = delete;
    virtual ~counted() = default;

    mutable std::atomic<unsigned> references{0};
};

void intrusive_ptr_add_ref(counted const* c) noexcept;
void intrusive_ptr_release(counted const* c) noexcept;

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_VALUES_COUNTED_HPP
