// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_ARENA_HPP
#define IACCTL_LANGUAGE_SYNTAX_ARENA_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <vector>

namespace iacctl::language {

/// Memory that is released only as a whole. It is allocated in pieces; the first ones are small unless a large total is
/// expected.
class arena final : public std::pmr::memory_resource {
public:
    explicit arena(std::size_t expected);
    arena(arena const&) = delete;
    auto operator=(arena const&) -> arena& = delete;

    [[nodiscard]] auto take(std::size_t size, std::size_t alignment) -> void*
    {
        auto const at = (next_ + alignment - 1) & ~(alignment - 1);
        if (at + size <= end_) {
            next_ = at + size;
            return reinterpret_cast<void*>(at);
        }
        return take_piece(size, alignment);
    }

private:
    struct release {
        void operator()(std::byte* piece) const noexcept { std::free(piece); }
    };
    using piece = std::unique_ptr<std::byte, release>;

    auto do_allocate(std::size_t size, std::size_t alignment) -> void* override { return take(size, alignment); }
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    [[nodiscard]] auto do_is_equal(memory_resource const& other) const noexcept -> bool override
    {
        return this == &other;
    }

    [[nodiscard]] auto take_piece(std::size_t size, std::size_t alignment) -> void*;

    std::uintptr_t next_ = 0;
    std::uintptr_t end_ = 0;
    std::size_t length_;  // of the next piece
    std::vector<piece> pieces_;
};

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_ARENA_HPP
