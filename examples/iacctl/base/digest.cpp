// SPDX-License-Identifier: BSL-1.0
#include "digest.hpp"

#include <cstddef>

#include <openssl/md5.h>
#include <openssl/sha.h>

// OpenSSL 3 deprecates these calls. The recommended calls initialize the whole library first, which takes a millisecond
// in each plan.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace iacctl {

namespace {

template <class Context, std::size_t Size>
auto digest_with(std::string_view text, int (*init)(Context*), int (*update)(Context*, void const*, std::size_t),
    int (*finish)(unsigned char*, Context*)) -> std::string
{
    Context context;
    std::string made(Size, '\0');
    init(&context);
    update(&context, text.data(), text.size());
    finish(reinterpret_cast<unsigned char*>(made.data()), &context);
    return made;
}

}  // namespace

auto digest(std::string_view text, digest_kind kind) -> std::string
{
    switch (kind) {
    case digest_kind::md5: return digest_with<MD5_CTX, MD5_DIGEST_LENGTH>(text, MD5_Init, MD5_Update, MD5_Final);
    case digest_kind::sha1: return digest_with<SHA_CTX, SHA_DIGEST_LENGTH>(text, SHA1_Init, SHA1_Update, SHA1_Final);
    case digest_kind::sha256:
        return digest_with<SHA256_CTX, SHA256_DIGEST_LENGTH>(text, SHA256_Init, SHA256_Update, SHA256_Final);
    case digest_kind::sha512: break;
    }
    return digest_with<SHA512_CTX, SHA512_DIGEST_LENGTH>(text, SHA512_Init, SHA512_Update, SHA512_Final);
}

// \source RFC 2104
auto hmac_sha256(std::string_view key, std::string_view text) -> std::string
{
    constexpr std::size_t block_size = 64;
    std::string inner = key.size() > block_size ? digest(key, digest_kind::sha256) : std::string(key);
    inner.resize(block_size);
    std::string outer = inner;
    for (char& one : inner) one = static_cast<char>(one ^ 0x36);
    for (char& one : outer) one = static_cast<char>(one ^ 0x5c);
    return digest(outer.append(digest(inner.append(text), digest_kind::sha256)), digest_kind::sha256);
}

struct sha256_stream::context : SHA256_CTX {};

sha256_stream::sha256_stream() : context_(std::make_unique<context>())
{
    SHA256_Init(context_.get());
}

sha256_stream::sha256_stream(sha256_stream&&) noexcept = default;
auto sha256_stream::operator=(sha256_stream&&) noexcept -> sha256_stream& = default;
sha256_stream::~sha256_stream() = default;

void sha256_stream::restart()
{
    SHA256_Init(context_.get());
}

void sha256_stream::add(std::string_view piece)
{
    SHA256_Update(context_.get(), piece.data(), piece.size());
}

auto sha256_stream::finish() -> std::string
{
    std::string made(SHA256_DIGEST_LENGTH, '\0');
    SHA256_Final(reinterpret_cast<unsigned char*>(made.data()), context_.get());
    return made;
}

void sha256_stream::finish(std::span<std::uint8_t, 32> result)
{
    SHA256_Final(result.data(), context_.get());
}

}  // namespace iacctl

#pragma GCC diagnostic pop
