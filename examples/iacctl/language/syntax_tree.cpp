// SPDX-License-Identifier: BSL-1.0
#include "syntax_tree.hpp"

namespace iacctl::language::syntax {

byte_range start_range(node const& of)
{
    switch (of.kind) {
    case node_kind::call: {
        auto const& called = as<call>(of);
        return {called.name_range.begin, called.name_range.end + 1};
    }
    case node_kind::binary: {
        node const* first = &of;
        while (first->kind == node_kind::binary) first = as<binary>(*first).left;
        return start_range(*first);
    }
    case node_kind::conditional: return start_range(*as<conditional>(of).condition);
    case node_kind::unary: return as<unary>(of).symbol;
    case node_kind::object: return as<object>(of).open;
    case node_kind::for_each: return as<for_each>(of).open;
    case node_kind::tuple: return {of.range.begin, of.range.begin + 1};
    case node_kind::text: return start_range(*as<text>(of).parts.front());
    case node_kind::traversal: return as<traversal>(of).root_range;
    default: return of.range;
    }
}

}  // namespace iacctl::language::syntax
