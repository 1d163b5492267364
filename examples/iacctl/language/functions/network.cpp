// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace iacctl::language::detail {

namespace {

namespace ip = boost::asio::ip;

/// A network such as 10.0.0.0/8: the bytes of its first address, and the number of bits in its prefix.
struct network {
    std::vector<std::uint8_t> bytes;  // 4 or 16
    std::size_t prefix = 0;

    [[nodiscard]] auto bits() const noexcept -> std::size_t { return bytes.size() * 8; }
};

/// The bits of the prefix ::ffff:0:0/96, which precede an IPv4 address in a mapped one.
constexpr std::size_t mapped_bits = 96;

/// Numbers of as many bits as an address, with the most significant byte first.
using wide = std::vector<std::uint8_t>;

[[nodiscard]] auto parse_v4(std::string_view text) -> std::optional<std::vector<std::uint8_t>>
{
    std::vector<std::uint8_t> made;
    for (;;) {
        auto const dot = std::min(text.find('.'), text.size());
        auto const part = text.substr(0, dot);
        unsigned octet = 0;
        auto const [end, problem] = std::from_chars(part.data(), part.data() + part.size(), octet);
        if (part.empty() || part.size() > 3 || problem != std::errc() || end != part.data() + part.size()
            || octet > 255)
            return std::nullopt;
        made.push_back(static_cast<std::uint8_t>(octet));
        if (dot == text.size()) break;
        text.remove_prefix(dot + 1);
    }
    return made.size() == 4 ? std::optional(made) : std::nullopt;
}

void clear_after(std::vector<std::uint8_t>& bytes, std::size_t prefix)
{
    for (std::size_t i = prefix; i < bytes.size() * 8; ++i)
        bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] & ~(0x80U >> (i % 8)));
}

[[nodiscard]] auto parse_network(std::string_view text) -> std::optional<network>
{
    auto const slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    auto const address = text.substr(0, slash);
    auto const length = text.substr(slash + 1);
    network made;
    if (auto four = parse_v4(address)) {
        made.bytes = *std::move(four);
    } else {
        boost::system::error_code problem;
        auto const six = ip::make_address_v6(std::string(address), problem);
        if (problem || address.find('%') != std::string_view::npos) return std::nullopt;
        auto const bytes = six.to_bytes();
        made.bytes.assign(bytes.begin(), bytes.end());
    }
    auto const [end, problem] = std::from_chars(length.data(), length.data() + length.size(), made.prefix);
    if (length.empty() || problem != std::errc() || end != length.data() + length.size() || made.prefix > made.bits())
        return std::nullopt;
    clear_after(made.bytes, made.prefix);
    return made;
}

/// An address such as 10.0.0.1, as a network with a single address.
[[nodiscard]] auto parse_address(std::string_view text) -> std::optional<network>
{
    if (text.find('/') != std::string_view::npos) return std::nullopt;
    return parse_network(std::string(text) + (text.find(':') == std::string_view::npos ? "/32" : "/128"));
}

/// Returns whether it is an IPv6 address that maps an IPv4 one, ::ffff:0:0/96.
[[nodiscard]] auto is_mapped(std::vector<std::uint8_t> const& bytes) -> bool
{
    static constexpr std::array<std::uint8_t, 12> prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    return bytes.size() == 16 && std::ranges::equal(prefix, std::span(bytes).first(prefix.size()));
}

/// The text of an address in RFC 5952; a mapped address is written as an IPv4 address.
[[nodiscard]] auto address_text(std::vector<std::uint8_t> const& bytes) -> std::string
{
    if (bytes.size() == 4 || is_mapped(bytes)) {
        ip::address_v4::bytes_type four{};
        std::ranges::copy(std::span(bytes).last(four.size()), four.begin());
        return ip::make_address_v4(four).to_string();
    }
    std::array<unsigned, 8> groups{};
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = bytes[2 * i] * 256U + bytes[2 * i + 1];
    std::size_t longest = 0;  // the longest run of zeros
    std::size_t begin = groups.size();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        std::size_t end = i;
        while (end < groups.size() && groups[end] == 0) ++end;
        if (end - i > std::max<std::size_t>(longest, 1)) {
            longest = end - i;
            begin = i;
        }
    }
    std::string text;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (i == begin) {
            text += "::";
            i += longest - 1;
            continue;
        }
        if (!text.empty() && !text.ends_with(':')) text += ':';
        std::array<char, 4> digits{};
        auto const written = std::to_chars(digits.data(), digits.data() + digits.size(), groups[i], 16);
        text.append(digits.data(), written.ptr);
    }
    return text;
}

/// The text of a network; a network of mapped addresses is written as an IPv4 network, with the rest of its prefix.
[[nodiscard]] auto network_text(network const& n) -> std::string
{
    return address_text(n.bytes) + "/"
        + std::to_string(is_mapped(n.bytes) ? n.prefix - std::min(n.prefix, mapped_bits) : n.prefix);
}

/// The bytes of a whole number without its sign; nothing if there are more than `size`.
[[nodiscard]] auto bytes_of(number const& n, std::size_t size) -> std::optional<wide>
{
    auto hexadecimal = n.abs().whole_text(16);
    if (hexadecimal.size() > size * 2) return std::nullopt;
    hexadecimal.insert(0, size * 2 - hexadecimal.size(), '0');
    wide made;
    for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
        unsigned byte = 0;
        std::from_chars(hexadecimal.data() + i, hexadecimal.data() + i + 2, byte, 16);
        made.push_back(static_cast<std::uint8_t>(byte));
    }
    return made;
}

/// 2^bits - 1
[[nodiscard]] auto largest(std::size_t size, std::size_t bits) -> wide
{
    wide made(size, 0xFF);
    for (std::size_t i = 0; i + bits < size * 8; ++i)
        made[i / 8] = static_cast<std::uint8_t>(made[i / 8] & ~(0x80U >> (i % 8)));
    return made;
}

[[nodiscard]] auto shifted_left(wide const& w, std::size_t by) -> wide
{
    wide made(w.size(), 0);
    for (std::size_t i = by; i < w.size() * 8; ++i) {
        bool const set = (w[i / 8] >> (7 - i % 8) & 1U) != 0;
        auto const to = i - by;
        if (set) made[to / 8] = static_cast<std::uint8_t>(made[to / 8] | (0x80U >> (to % 8)));
    }
    return made;
}

/// False on overflow.
auto add(wide& to, wide const& w) -> bool
{
    unsigned carry = 0;
    for (std::size_t i = to.size(); i-- > 0;) {
        unsigned const sum = static_cast<unsigned>(to[i]) + w[i] + carry;
        to[i] = static_cast<std::uint8_t>(sum & 0xFFU);
        carry = sum >> 8;
    }
    return carry == 0;
}

[[nodiscard]] auto difference(wide w, wide const& given) -> wide
{
    int borrow = 0;
    for (std::size_t i = w.size(); i-- > 0;) {
        int const left = static_cast<int>(w[i]) - given[i] - borrow;
        borrow = left < 0 ? 1 : 0;
        w[i] = static_cast<std::uint8_t>(left & 0xFF);
    }
    return w;
}

void merge(wide& into, wide const& w)
{
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<std::uint8_t>(into[i] | w[i]);
}

[[nodiscard]] auto bad_network(std::string const& text) -> call_failure
{
    return call_failure(to_json(value(text)) + " is not a network in CIDR notation, such as 10.0.0.0/8");
}

[[nodiscard]] auto cidrhost(arguments given) -> call_result<value>
{
    auto const& desired = given[1].as_number();
    if (!desired.is_whole()) return call_failure("hostnum is not a whole number");
    auto const of = parse_network(given[0].as_string());
    if (!of) return bad_network(given[0].as_string());
    auto const size = of->bytes.size();
    auto const limit = largest(size, of->bits() - of->prefix);
    bool const backwards = desired.sign() < 0;
    auto host = bytes_of(desired, size);
    if (host && backwards) {
        wide one(size, 0);
        one.back() = 1;
        host = difference(*host, one);
    }
    if (!host || *host > limit)
        return call_failure(
            "a network with a prefix of " + std::to_string(of->prefix) + " bits has no host " + desired.text());
    auto address = of->bytes;
    auto const inserted = backwards ? difference(limit, *host) : *host;
    // Terraform assumes that a mapped network has 32 bits, and puts the number at the top of its 128 bits. Addresses
    // that were computed like that are in use, so the result is compatible.
    merge(address, is_mapped(address) ? shifted_left(inserted, mapped_bits) : inserted);
    return value(address_text(address));
}

[[nodiscard]] auto cidrnetmask(arguments given) -> call_result<value>
{
    auto const of = parse_network(given[0].as_string());
    if (!of) return bad_network(given[0].as_string());
    if (of->bytes.size() != 4 && !is_mapped(of->bytes))
        return call_failure(given[0].as_string() + " is an IPv6 network, and only IPv4 networks have a mask");
    wide mask(of->bytes.size(), 0xFF);
    clear_after(mask, of->prefix);
    return value(address_text(mask));
}

[[nodiscard]] auto cidrsubnet(arguments given) -> call_result<value>
{
    auto const more = given[1].as_number().as_int64();
    if (!more) return call_failure(not_whole);
    auto const& desired = given[2].as_number();
    if (!desired.is_whole()) return call_failure("netnum is not a whole number");
    auto of = parse_network(given[0].as_string());
    if (!of) return bad_network(given[0].as_string());
    auto const prefix = static_cast<std::int64_t>(of->prefix);
    if (*more < -prefix)
        return call_failure("a prefix of " + std::to_string(prefix) + " bits is shorter than the "
            + std::to_string(*more).substr(1) + " bits to remove");
    if (*more > static_cast<std::int64_t>(of->bits()) - prefix)
        return call_failure(
            "a prefix of " + std::to_string(prefix) + " bits has no room for " + std::to_string(*more) + " more");
    auto const number_bytes = bytes_of(desired, of->bytes.size());
    // Like Terraform: a negative number of bits gives a larger network. Its address keeps the bits after the prefix, and
    // the bits of the subnet are added to those of the prefix.
    auto const bits = static_cast<std::size_t>(*more < 0 ? prefix + *more : *more);
    if (!number_bytes || desired.sign() < 0 || *number_bytes > largest(of->bytes.size(), bits))
        return call_failure(std::to_string(*more) + " more bits have no subnet " + desired.text());
    of->prefix = static_cast<std::size_t>(prefix + *more);
    merge(of->bytes, shifted_left(*number_bytes, of->bits() - of->prefix));
    return value(network_text(*of));
}

[[nodiscard]] auto cidrsubnets(arguments given) -> call_result<value>
{
    auto const of = parse_network(given[0].as_string());
    if (!of) return call_failure(0, bad_network(given[0].as_string()).message());
    // Terraform starts with the network before the first one, which does not exist in these cases.
    bool const countable = !is_mapped(of->bytes) && of->bytes != wide(of->bytes.size(), 0);
    wide next = of->bytes;
    bool beyond = false;
    std::string before;
    std::vector<value> made;
    for (std::size_t i = 1; i < given.size(); ++i) {
        auto const more = given[i].as_number().as_int64();
        if (!more) return call_failure(i, not_whole);
        if (*more < 1) return call_failure(i, "it must be at least 1");
        auto const length = static_cast<std::uint64_t>(*more) + of->prefix;
        if (length > of->bits())
            return call_failure(i,
                "the prefix would have " + std::to_string(length) + " bits, more than an "
                    + (of->bytes.size() == 4 ? "IPv4" : "IPv6") + " address has");
        if (!countable)
            return call_failure(i,
                "networks of equal size cannot be allocated in " + given[0].as_string()
                    + ", which begins at address zero or contains IPv4-mapped addresses; use cidrsubnet");
        // Rounds up to a boundary of this length, then checks whether that is still inside.
        network part{next, static_cast<std::size_t>(length)};
        wide one(next.size(), 0);
        one.back() = 1;
        auto const step = shifted_left(one, of->bits() - part.prefix);
        clear_after(part.bytes, part.prefix);
        if (!beyond && part.bytes != next) beyond = !add(part.bytes, step);
        auto base = part.bytes;
        clear_after(base, of->prefix);
        if (beyond || base != of->bytes)
            return call_failure(
                i, "there is no room for a prefix of " + std::to_string(length) + " bits after " + before);
        before = network_text(part);
        made.push_back(value(before));
        next = part.bytes;
        beyond = !add(next, step);
    }
    return value::list(type::string(), std::move(made));
}

/// A network of mapped addresses as the IPv4 network.
[[nodiscard]] auto without_mapping(network n) -> network
{
    if (!is_mapped(n.bytes) || n.prefix < mapped_bits) return n;
    return {std::vector<std::uint8_t>(n.bytes.begin() + mapped_bits / 8, n.bytes.end()), n.prefix - mapped_bits};
}

[[nodiscard]] auto cidrcontains(arguments given) -> call_result<value>
{
    auto const outer = parse_network(given[0].as_string());
    if (!outer) return call_failure(0, bad_network(given[0].as_string()).message());
    auto const& text = given[1].as_string();
    auto const inner = text.find('/') == std::string::npos ? parse_address(text) : parse_network(text);
    if (!inner)
        return call_failure(1, to_json(value(text)) + " is neither an IP address nor a network in CIDR notation");
    auto const all = without_mapping(*outer);
    auto part = without_mapping(*inner);
    if (all.bytes.size() != part.bytes.size())
        return call_failure("one of " + given[0].as_string() + " and " + text + " is IPv4, and the other is IPv6");
    bool const fits = part.prefix >= all.prefix;
    clear_after(part.bytes, all.prefix);
    return value(fits && part.bytes == all.bytes);
}

}  // namespace

void add_network_functions(function_table& table)
{
    parameter const prefix{"prefix", type::string()};
    table.add("cidrcontains", {{"containing_prefix", type::string()}, {"contained_ip_or_prefix", type::string()}},
        type::boolean(), cidrcontains);
    table.add("cidrhost", {prefix, {"hostnum", type::number()}}, type::string(), cidrhost);
    table.add("cidrnetmask", {prefix}, type::string(), cidrnetmask);
    table.add(
        "cidrsubnet", {prefix, {"newbits", type::number()}, {"netnum", type::number()}}, type::string(), cidrsubnet);
    table.add("cidrsubnets", {prefix}, type::list(type::string()), cidrsubnets).variadic =
        parameter{"newbits", type::number()};
}

}  // namespace iacctl::language::detail
