// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_COUNTED_HPP
#define IACCTL_LANGUAGE_VALUES_COUNTED_HPP

#include <boost/smart_ptr/intrusive_ref_counter.hpp>

namespace iacctl::language::detail {

/// The base of constant data that values or types share. For `boost::intrusive_ptr`.
struct counted : boost::intrusive_ref_counter<counted> {
    counted() = default;
    counted(counted const&) = delete;
    auto operator=(counted const&) -> counted& = delete;
    virtual ~counted() = default;
};

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_VALUES_COUNTED_HPP
