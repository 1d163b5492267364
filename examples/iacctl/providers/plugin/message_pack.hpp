// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_MESSAGE_PACK_HPP
#define IACCTL_PROVIDERS_PLUGIN_MESSAGE_PACK_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::plugin {

// MessagePack, item by item. Libraries recurse without a limit, drop repeated keys, accept text that is not UTF-8, or
// allocate the declared size of an array, and build a tree that would have to be converted again.
// \source https://github.com/msgpack/msgpack/blob/master/spec.md

/// One item of MessagePack. The elements of an array and the entries of a map are the following items.
struct packed_item {
    enum class kind : std::uint8_t { nil, boolean, natural, negative, real, text, bytes, extension, array, map };

    kind is = kind::nil;
    bool flag = false;
    std::int8_t extension_type = 0;
    std::uint64_t natural = 0;  ///< the number, or the number of elements or entries that follow
    std::int64_t negative = 0;
    double real = 0;
    std::string_view content{};  ///< of a text, bytes or an extension

    [[nodiscard]] auto operator==(kind desired) const noexcept -> bool { return is == desired; }
};

/// Reads items from bytes, which outlive it. Nothing is allocated.
class packed_reader {
public:
    explicit packed_reader(std::string_view bytes) noexcept : rest_(bytes) {}

    /// The next item; nothing if the bytes end too early or are not MessagePack.
    [[nodiscard]] auto next() noexcept -> std::optional<packed_item>;
    /// Skips an item with its content; false if `next` would return nothing.
    [[nodiscard]] auto skip() noexcept -> bool;
    /// The number of remaining bytes. An item has at least one.
    [[nodiscard]] auto remaining() const noexcept -> std::size_t { return rest_.size(); }

private:
    [[nodiscard]] auto take(std::size_t count, std::uint64_t& number) noexcept -> bool;
    [[nodiscard]] auto take_content(packed_item& item, std::uint64_t length) noexcept -> bool;
    [[nodiscard]] auto read(packed_item& item, unsigned tag) noexcept -> bool;

    std::string_view rest_;
};

/// Appends items, each in its shortest form.
class packed_writer {
public:
    explicit packed_writer(std::string& out) noexcept : out_(out) {}

    void nil() { byte(0xc0); }
    void boolean(bool flag) { byte(flag ? 0xc3 : 0xc2); }
    void integer(std::int64_t n);
    void real(double x);
    void text(std::string_view content);
    void bytes(std::string_view text);
    void extension(std::int8_t type, std::string_view text);
    void array(std::size_t length) { head(length, 0x90, 0xdc); }
    void map(std::size_t length) { head(length, 0x80, 0xde); }

private:
    void byte(unsigned b) { out_.push_back(static_cast<char>(b)); }
    /// A number of that many bytes, the most significant one first.
    void number(std::uint64_t n, unsigned width);
    /// A length of less than 16 in the tag, else in two or four bytes behind it.
    void head(std::size_t length, unsigned few, unsigned many);
    /// A length in one, two or four bytes behind a tag.
    void length(std::size_t count, unsigned tag);

    std::string& out_;
};

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_MESSAGE_PACK_HPP
