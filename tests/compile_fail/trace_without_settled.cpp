// SPDX-License-Identifier: BSL-1.0
// expect: trace_policy
// expect: trace.settled(v, outcome, worker)
#include <strider/walk.hpp>

#include <cstdint>

struct without_settled {
    void started(strider::vertex_id, std::uint32_t) {}
    void stopping(strider::stop_reason) {}
};

strider::walk_options<strider::ascending_id, without_settled> const options;
