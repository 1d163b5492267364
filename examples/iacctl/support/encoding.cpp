// SPDX-License-Identifier: BSL-1.0
#include "encoding.hpp"

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace iacctl {

namespace {

auto algorithm_of(digest_kind kind) -> EVP_MD const*
{
    switch (kind) {
    case digest_kind::md5: return EVP_md5();
    case digest_kind::sha1: return EVP_sha1();
    case digest_kind::sha256: return EVP_sha256();
    case digest_kind::sha512: break;
    }
    return EVP_sha512();
}

}  // namespace

auto digest(std::string_view text, digest_kind kind) -> bytes
{
    bytes made(EVP_MAX_MD_SIZE);
    unsigned int size = 0;
    EVP_Digest(text.data(), text.size(), made.data(), &size, algorithm_of(kind), nullptr);
    made.resize(size);
    return made;
}

auto hex(bytes const& of) -> std::string
{
    std::string text;
    text.reserve(2 * of.size());
    for (unsigned char const b : of) {
        text += "0123456789abcdef"[b >> 4U];
        text += "0123456789abcdef"[b & 15U];
    }
    return text;
}

auto base64(std::string_view of) -> std::string
{
    std::string text(4 * ((of.size() + 2) / 3) + 1, '\0');
    int const size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
        reinterpret_cast<unsigned char const*>(of.data()), static_cast<int>(of.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

auto base64(bytes const& of) -> std::string
{
    return base64(std::string_view(reinterpret_cast<char const*>(of.data()), of.size()));
}

auto from_base64(std::string_view text) -> std::optional<std::string>
{
    std::string made(3 * (text.size() / 4 + 1), '\0');
    int const size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(made.data()),
        reinterpret_cast<unsigned char const*>(text.data()), static_cast<int>(text.size()));
    if (size < 0 || text.size() % 4 != 0) return std::nullopt;
    auto padded = static_cast<std::size_t>(size);
    if (text.ends_with("==")) padded -= 2;
    else if (text.ends_with("=")) padded -= 1;
    made.resize(padded);
    return made;
}

auto base64_url(bytes const& of) -> std::string
{
    std::string text = base64(of);
    while (text.ends_with('=')) text.pop_back();
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

auto from_base64_url(std::string_view text) -> std::optional<bytes>
{
    std::string padded(text);
    for (char& c : padded) {
        bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '-' && c != '_') return std::nullopt;
        if (c == '-') c = '+';
        if (c == '_') c = '/';
    }
    if (padded.size() % 4 == 1) return std::nullopt;
    while (padded.size() % 4 != 0) padded += '=';
    auto const made = from_base64(padded);
    if (!made) return std::nullopt;
    return bytes(made->begin(), made->end());
}

auto decimal(bytes const& of) -> std::string
{
    auto const free_number = [](BIGNUM* n) { BN_free(n); };
    auto const free_text = [](char* text) { OPENSSL_free(text); };
    std::unique_ptr<BIGNUM, decltype(free_number)> const number(
        BN_bin2bn(of.data(), static_cast<int>(of.size()), nullptr));
    std::unique_ptr<char, decltype(free_text)> const text(BN_bn2dec(number.get()));
    if (text == nullptr) throw std::runtime_error("a number is too big");
    return text.get();
}

auto characters(std::string_view text) -> std::vector<std::string>
{
    std::vector<std::string> all;
    while (!text.empty()) {
        std::size_t const length = std::max<std::size_t>(utf8_length(text, 0), 1);
        all.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return all;
}

auto random_bytes(std::size_t count) -> bytes
{
    bytes made(count);
    if (count > 0 && RAND_bytes(made.data(), static_cast<int>(count)) != 1)
        throw std::runtime_error("the system gives no random bytes");
    return made;
}

}  // namespace iacctl
