// SPDX-License-Identifier: BSL-1.0
#include "counted.hpp"

namespace iacctl::language::detail {

void intrusive_ptr_add_ref(counted const* c) noexcept
{
    c->references.fetch_add(1, std::memory_order_relaxed);
}

void intrusive_ptr_release(counted const* c) noexcept
{
    if (c->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete c;
}

}  // namespace iacctl::language::detail
