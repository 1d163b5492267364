// SPDX-License-Identifier: BSL-1.0
#include "aes_gcm.hpp"

#include "base/random.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

namespace iacctl::encryption {

namespace {

struct free_context {
    void operator()(EVP_CIPHER_CTX* given) const noexcept { EVP_CIPHER_CTX_free(given); }
};
using context = std::unique_ptr<EVP_CIPHER_CTX, free_context>;

auto bytes(std::string_view text) -> unsigned char const*
{
    return reinterpret_cast<unsigned char const*>(text.data());
}

auto bytes(std::string& text) -> unsigned char*
{
    return reinterpret_cast<unsigned char*>(text.data());
}

auto length(std::size_t count) -> int
{
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw std::length_error("a record is too large");
    return static_cast<int>(count);
}

auto cipher_for(std::size_t key_size) -> EVP_CIPHER const*
{
    if (key_size == 16) return EVP_aes_128_gcm();
    return key_size == 24 ? EVP_aes_192_gcm() : EVP_aes_256_gcm();
}

// A context that is initialized for a message with that nonce.
auto start(std::string const& key, std::string_view nonce, bool seals) -> context
{
    context ready(EVP_CIPHER_CTX_new());
    if (!ready
        || EVP_CipherInit_ex(ready.get(), cipher_for(key.size()), nullptr, bytes(key), bytes(nonce), seals ? 1 : 0)
            != 1)
        throw std::bad_alloc();
    return ready;
}

}  // namespace

void erase(std::string& secret) noexcept
{
    OPENSSL_cleanse(secret.data(), secret.size());
    secret.clear();
}

aes_gcm::aes_gcm(std::string key)
    : key_(new std::string(std::move(key)), [](std::string const* text) {
          OPENSSL_cleanse(const_cast<char*>(text->data()), text->size());
          delete text;
      })
{}

auto aes_gcm::seal(std::string_view text, std::string_view associated) const -> std::string
{
    std::string const nonce = random_bytes(nonce_size);
    std::string sealed(nonce_size + text.size() + tag_size, '\0');
    sealed.replace(0, nonce_size, nonce);
    context const made = start(*key_, nonce, true);
    EVP_CIPHER_CTX* const ready = made.get();
    unsigned char* const to = bytes(sealed) + nonce_size;
    int written = 0;
    bool fine = EVP_EncryptUpdate(ready, nullptr, &written, bytes(associated), length(associated.size())) == 1;
    fine = fine && EVP_EncryptUpdate(ready, to, &written, bytes(text), length(text.size())) == 1;
    fine = fine && EVP_EncryptFinal_ex(ready, to + text.size(), &written) == 1;
    fine = fine && EVP_CIPHER_CTX_ctrl(ready, EVP_CTRL_GCM_GET_TAG, static_cast<int>(tag_size), to + text.size()) == 1;
    if (!fine) throw std::bad_alloc();
    return sealed;
}

auto aes_gcm::open(std::string_view sealed, std::string_view associated) const -> std::optional<std::string>
{
    if (sealed.size() < nonce_size + tag_size) return std::nullopt;
    std::string_view const nonce = sealed.substr(0, nonce_size);
    std::string tag(sealed.substr(sealed.size() - tag_size));
    std::string_view const body = sealed.substr(nonce_size, sealed.size() - nonce_size - tag_size);
    std::string text(body.size(), '\0');
    context const made = start(*key_, nonce, false);
    EVP_CIPHER_CTX* const ready = made.get();
    int written = 0;
    bool fine = EVP_DecryptUpdate(ready, nullptr, &written, bytes(associated), length(associated.size())) == 1;
    fine = fine && EVP_DecryptUpdate(ready, bytes(text), &written, bytes(body), length(body.size())) == 1;
    fine = fine && EVP_CIPHER_CTX_ctrl(ready, EVP_CTRL_GCM_SET_TAG, static_cast<int>(tag_size), tag.data()) == 1;
    fine = fine && EVP_DecryptFinal_ex(ready, bytes(text) + text.size(), &written) == 1;
    if (!fine) {
        erase(text);
        return std::nullopt;
    }
    return text;
}

}  // namespace iacctl::encryption
