// SPDX-License-Identifier: BSL-1.0
#include "message_pack.hpp"

#include <bit>
#include <limits>

namespace iacctl::plugin {

namespace {

/// The low bytes of a number as a signed number in two's complement.
[[nodiscard]] auto as_signed(std::uint64_t number, unsigned width) noexcept -> std::int64_t
{
    unsigned const unused = 64 - 8 * width;
    return static_cast<std::int64_t>(number << unused) >> unused;
}

}  // namespace

auto packed_reader::take(std::size_t count, std::uint64_t& number) noexcept -> bool
{
    if (rest_.size() < count) return false;
    number = 0;
    for (std::size_t i = 0; i < count; ++i) number = number << 8U | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(count);
    return true;
}

auto packed_reader::take_content(packed_item& item, std::uint64_t length) noexcept -> bool
{
    if (rest_.size() < length) return false;
    item.content = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(item.content.size());
    return true;
}

auto packed_reader::read(packed_item& item, unsigned tag) noexcept -> bool
{
    using enum packed_item::kind;
    auto const as = [&](packed_item::kind is, unsigned number) {
        item.is = is;
        item.natural = number;
        return true;
    };
    auto const counted = [&](packed_item::kind is, unsigned width) {
        item.is = is;
        return take(width, item.natural);
    };
    auto const contained = [&](packed_item::kind is, unsigned width) {
        return counted(is, width) && take_content(item, item.natural);
    };
    auto const extended = [&](std::uint64_t length) {
        std::uint64_t type = 0;
        item.is = extension;
        if (!take(1, type)) return false;
        item.extension_type = static_cast<std::int8_t>(as_signed(type, 1));
        return take_content(item, length);
    };
    if (tag < 0x80) return as(natural, tag);
    if (tag < 0x90) return as(map, tag & 0x0fU);
    if (tag < 0xa0) return as(array, tag & 0x0fU);
    if (tag < 0xc0) {
        item.is = text;
        return take_content(item, tag & 0x1fU);
    }
    if (tag >= 0xe0) {
        item.negative = as_signed(tag, 1);
        return as(negative, 0);
    }
    std::uint64_t bits = 0;
    switch (tag) {
    case 0xc0: return true;
    case 0xc2:
    case 0xc3: item.flag = tag == 0xc3; return as(boolean, 0);
    case 0xc4: return contained(bytes, 1);
    case 0xc5: return contained(bytes, 2);
    case 0xc6: return contained(bytes, 4);
    case 0xc7:
    case 0xc8:
    case 0xc9: return take(1U << (tag - 0xc7), bits) && extended(bits);
    case 0xca:
        if (!take(4, bits)) return false;
        item.real = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return as(real, 0);
    case 0xcb:
        if (!take(8, bits)) return false;
        item.real = std::bit_cast<double>(bits);
        return as(real, 0);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return counted(natural, 1U << (tag - 0xcc));
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: {
        unsigned const width = 1U << (tag - 0xd0);
        if (!take(width, bits)) return false;
        item.negative = as_signed(bits, width);
        item.is = item.negative < 0 ? negative : natural;
        item.natural = item.negative < 0 ? 0 : bits;
        return true;
    }
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8: return extended(1U << (tag - 0xd4));
    case 0xd9: return contained(text, 1);
    case 0xda: return contained(text, 2);
    case 0xdb: return contained(text, 4);
    case 0xdc: return counted(array, 2);
    case 0xdd: return counted(array, 4);
    case 0xde: return counted(map, 2);
    case 0xdf: return counted(map, 4);
    default: return false;
    }
}

auto packed_reader::next() noexcept -> std::optional<packed_item>
{
    packed_item item;
    std::uint64_t tag = 0;
    if (!take(1, tag) || !read(item, static_cast<unsigned>(tag))) return std::nullopt;
    return item;
}

auto packed_reader::skip() noexcept -> bool
{
    for (std::uint64_t awaited = 1; awaited > 0; --awaited) {
        auto const item = next();
        if (!item) return false;
        if (*item == packed_item::kind::array) awaited += item->natural;
        if (*item == packed_item::kind::map) awaited += 2 * item->natural;
    }
    return true;
}

void packed_writer::number(std::uint64_t n, unsigned width)
{
    while (width-- > 0) byte(static_cast<unsigned>(n >> (8 * width) & 0xffU));
}

void packed_writer::head(std::size_t length, unsigned few, unsigned many)
{
    if (length < 16) return byte(few | static_cast<unsigned>(length));
    bool const two = length <= std::numeric_limits<std::uint16_t>::max();
    byte(two ? many : many + 1);
    number(length, two ? 2 : 4);
}

void packed_writer::length(std::size_t count, unsigned tag)
{
    unsigned const power = count <= 0xff ? 0 : count <= 0xffff ? 1 : 2;
    byte(tag + power);
    number(count, 1U << power);
}

void packed_writer::integer(std::int64_t n)
{
    auto const bits = static_cast<std::uint64_t>(n);
    if (n >= -32 && n < 128) return byte(static_cast<unsigned>(bits & 0xffU));
    unsigned power = 0;
    if (n >= 0) {
        while (power < 3 && bits >> (8U << power) != 0) ++power;
        byte(0xcc + power);
    } else {
        while (power < 3 && as_signed(bits, 1U << power) != n) ++power;
        byte(0xd0 + power);
    }
    number(bits, 1U << power);
}

void packed_writer::real(double x)
{
    byte(0xcb);
    number(std::bit_cast<std::uint64_t>(x), 8);
}

void packed_writer::text(std::string_view content)
{
    if (content.size() < 32) byte(0xa0U | static_cast<unsigned>(content.size()));
    else length(content.size(), 0xd9);
    out_ += content;
}

void packed_writer::bytes(std::string_view text)
{
    length(text.size(), 0xc4);
    out_ += text;
}

void packed_writer::extension(std::int8_t type, std::string_view text)
{
    if (std::has_single_bit(text.size()) && text.size() <= 16)
        byte(0xd4 + static_cast<unsigned>(std::countr_zero(text.size())));
    else length(text.size(), 0xc7);
    byte(static_cast<unsigned>(type) & 0xffU);
    out_ += text;
}

}  // namespace iacctl::plugin
