// SPDX-License-Identifier: BSL-1.0
#include "syntax_tree.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace iacctl::language::syntax {

auto start_range(node const& n) -> byte_range
{
    switch (n.kind) {
    case node_kind::call: {
        auto const& called = as<call>(n);
        return {called.name_range.begin, called.name_range.end + 1};
    }
    case node_kind::binary: {
        node const* first = &n;
        while (first->kind == node_kind::binary) first = as<binary>(*first).left;
        return start_range(*first);
    }
    case node_kind::conditional: return start_range(*as<conditional>(n).condition);
    case node_kind::unary: return as<unary>(n).symbol;
    case node_kind::object: return as<object>(n).open;
    case node_kind::for_each: return as<for_each>(n).open;
    case node_kind::tuple: return {n.range.begin, n.range.begin + 1};
    case node_kind::text: return start_range(*as<text>(n).parts.front());
    case node_kind::literal: {
        // The text between the quotes.
        auto const text = as<literal>(n).text();
        bool const quoted = text && n.range.end - n.range.begin >= text->size() + 2;
        return quoted ? byte_range{n.range.begin + 1, n.range.end - 1} : n.range;
    }
    default: return n.range;
    }
}

}  // namespace iacctl::language::syntax
