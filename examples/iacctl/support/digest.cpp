// SPDX-License-Identifier: BSL-1.0
#include "digest.hpp"

#include <openssl/evp.h>

#include <array>

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

auto digest(std::string_view of, digest_kind kind) -> std::string
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
    unsigned int size = 0;
    EVP_Digest(of.data(), of.size(), made.data(), &size, algorithm_of(kind), nullptr);
    return {reinterpret_cast<char const*>(made.data()), size};
}

}  // namespace iacctl
