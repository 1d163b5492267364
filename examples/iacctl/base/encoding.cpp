// SPDX-License-Identifier: BSL-1.0
#include "encoding.hpp"

#include <openssl/bn.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <stdexcept>

namespace iacctl {

namespace {

constexpr auto is_base64_digit = [] {
    std::array<bool, 256> found{};
    for (char const c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
        found[static_cast<unsigned char>(c)] = true;
    return found;
}();

auto as_bytes(std::string_view text) -> unsigned char const*
{
    return reinterpret_cast<unsigned char const*>(text.data());
}

auto as_bytes(std::string& text) -> unsigned char*
{
    return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

auto hex(std::string_view bytes) -> std::string
{
    std::string text;
    text.reserve(2 * bytes.size());
    for (char const c : bytes) {
        auto const byte = static_cast<unsigned char>(c);
        text += "0123456789abcdef"[byte >> 4U];
        text += "0123456789abcdef"[byte & 15U];
    }
    return text;
}

void append_percent(std::string& out, char byte)
{
    out += '%';
    out += "0123456789ABCDEF"[static_cast<unsigned char>(byte) >> 4U];
    out += "0123456789ABCDEF"[static_cast<unsigned char>(byte) & 15U];
}

auto base64(std::string_view bytes) -> std::string
{
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // including the NUL that the library adds
    int const size = EVP_EncodeBlock(as_bytes(text), as_bytes(bytes), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

auto from_base64(std::string_view text) -> std::optional<std::string>
{
    std::string lines;
    if (text.find_first_of("\r\n") != std::string_view::npos) {
        lines = text;
        std::erase_if(lines, [](char c) { return c == '\r' || c == '\n'; });
        text = lines;
    }
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    bool const fine = std::ranges::all_of(
        text.substr(0, text.size() - padding), [](char c) { return is_base64_digit[static_cast<unsigned char>(c)]; });
    if (!fine) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    EVP_DecodeBlock(as_bytes(bytes), as_bytes(text), static_cast<int>(text.size()));
    bytes.resize(bytes.size() - padding);
    return bytes;
}

auto base64_url(std::string_view bytes) -> std::string
{
    std::string text = base64(bytes);
    while (text.ends_with('=')) text.pop_back();
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

auto from_base64_url(std::string_view text) -> std::optional<std::string>
{
    if (text.size() % 4 == 1 || text.find_first_of("+/=\r\n") != std::string_view::npos) return std::nullopt;
    std::string padded(text);
    std::ranges::replace(padded, '-', '+');
    std::ranges::replace(padded, '_', '/');
    padded.resize((padded.size() + 3) / 4 * 4, '=');
    return from_base64(padded);
}

auto decimal(std::string_view bytes) -> std::string
{
    auto const free_number = [](BIGNUM* n) { BN_free(n); };
    auto const free_text = [](char* text) { OPENSSL_free(text); };
    std::unique_ptr<BIGNUM, decltype(free_number)> const number(
        BN_bin2bn(as_bytes(bytes), static_cast<int>(bytes.size()), nullptr));
    std::unique_ptr<char, decltype(free_text)> const text(BN_bn2dec(number.get()));
    if (text == nullptr) throw std::runtime_error("a number is too big");
    return text.get();
}

}  // namespace iacctl
