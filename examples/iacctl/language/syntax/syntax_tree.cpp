// SPDX-License-Identifier: BSL-1.0
#include "syntax_tree.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace iacctl::language {

namespace {

constexpr std::size_t usual_piece = std::size_t{64} * 1024;
constexpr std::size_t large_piece = std::size_t{4} * 1024 * 1024;
constexpr std::size_t few_pieces = 48;  // some three megabytes
constexpr std::size_t much = std::size_t{16} * 1024 * 1024;
constexpr std::size_t most_at_once = std::size_t{256} * 1024 * 1024;

/// Memory that is touched for the first time costs more than the parse, unless it comes in large pages.
[[nodiscard]] auto fresh_memory(std::size_t length) -> std::byte*
{
    static constexpr std::size_t large_page = std::size_t{2} * 1024 * 1024;
    void* const made =
        length < much ? std::malloc(length) : std::aligned_alloc(large_page, length - length % large_page + large_page);
    if (!made) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    static constexpr std::uintptr_t page = 4096;
    auto const begin = (reinterpret_cast<std::uintptr_t>(made) + page - 1) & ~(page - 1);
    auto const whole = (reinterpret_cast<std::uintptr_t>(made) + length - begin) & ~(page - 1);
    if (length >= large_piece) static_cast<void>(::madvise(reinterpret_cast<void*>(begin), whole, MADV_HUGEPAGE));
#endif
    return static_cast<std::byte*>(made);
}

}  // namespace

arena::arena(std::size_t expected) : length_(expected < much ? 1024 : std::min(expected, most_at_once)) {}

auto arena::take_piece(std::size_t size, std::size_t alignment) -> void*
{
    auto const length = std::max(length_, size + alignment);
    pieces_.emplace_back(fresh_memory(length));
    auto const begin = reinterpret_cast<std::uintptr_t>(pieces_.back().get());
    auto const at = (begin + alignment - 1) & ~(alignment - 1);
    // A large object gets its own piece; the current piece remains in use.
    if (length > length_) return reinterpret_cast<void*>(at);
    next_ = at + size;
    end_ = begin + length;
    bool const few = length < much && pieces_.size() < few_pieces;
    length_ = few ? std::min(length_ * 2, usual_piece) : large_piece;
    return reinterpret_cast<void*>(at);
}

}  // namespace iacctl::language

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
