// SPDX-License-Identifier: BSL-1.0
// expect: dag_kind
// expect: draft_kind
#include <strider/core.hpp>

void wait(strider::digraph<int>& draft, strider::vertex_id v)
{
    draft.add_edge(v, depends_on(v));
}
