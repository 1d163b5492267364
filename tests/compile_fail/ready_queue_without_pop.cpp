// SPDX-License-Identifier: BSL-1.0
// expect: ready_queue_policy
// expect: queue.pop()
#include <strider/walk.hpp>

#include <cstddef>

struct without_pop {
    void reset(std::size_t) {}
    void push(strider::vertex_id) {}
    std::size_t size() const { return 0; }
};

strider::walk_options<without_pop> const options;
