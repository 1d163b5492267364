// SPDX-License-Identifier: BSL-1.0
#include "syntax_tree.hpp"

#include <algorithm>

namespace iacctl::language {

void* arena::allocate_piece(std::size_t size, std::size_t alignment)
{
    static constexpr std::size_t largest = std::size_t{64} * 1024;
    auto const length = std::max(piece_, size + alignment);
    pieces_.push_back(std::make_unique_for_overwrite<std::byte[]>(length));
    auto const begin = reinterpret_cast<std::uintptr_t>(pieces_.back().get());
    auto const at = (begin + alignment - 1) & ~(alignment - 1);
    // A large object gets a piece of its own; the one that is in use goes on.
    if (length > piece_) return reinterpret_cast<void*>(at);
    next_ = at + size;
    end_ = begin + length;
    piece_ = std::min(piece_ * 2, largest);
    return reinterpret_cast<void*>(at);
}

}  // namespace iacctl::language

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
