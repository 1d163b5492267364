// SPDX-License-Identifier: BSL-1.0
#include "base/characters.hpp"
#include "base/encoding.hpp"
#include "base/random.hpp"
#include "function_table.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <crypt.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <memory>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto bcrypt(arguments given) -> call_result<value>
{
    std::int64_t cost = 10;
    if (given.size() > 1) {
        auto const desired = given[1].as_number().as_int64();
        if (!desired) return call_failure(not_whole);
        cost = *desired;
    }
    if (given.size() > 2) return call_failure("at most two arguments are allowed: a text and a cost");
    auto const& password = given[0].as_string();
    if (password.size() > 72) return call_failure("the text has more than 72 bytes, the maximum of bcrypt");
    if (cost > 31) return call_failure("the cost is " + std::to_string(cost) + ", but the maximum of bcrypt is 31");
    if (cost < 4) cost = 10;
    auto const salt = random_bytes(16);
    std::array<char, CRYPT_GENSALT_OUTPUT_SIZE> setting{};
    auto const* const made = crypt_gensalt_rn("$2a$", static_cast<unsigned long>(cost), salt.data(),
        static_cast<int>(salt.size()), setting.data(), static_cast<int>(setting.size()));
    if (made == nullptr) return call_failure("the C library does not support bcrypt");
    auto const data = std::make_unique<crypt_data>();
    auto const* const hash = crypt_rn(password.c_str(), made, data.get(), static_cast<int>(sizeof(crypt_data)));
    if (hash == nullptr) return call_failure("the C library does not support bcrypt");
    return value(std::string_view(hash));
}

template <auto Free>
struct freed_by {
    template <class T>
    void operator()(T* item) const
    {
        static_cast<void>(Free(item));
    }
};
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using context_ptr = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;

[[nodiscard]] auto rsadecrypt(arguments given) -> call_result<value>
{
    auto const cipher = from_base64(given[0].as_string());
    if (!cipher) return call_failure(0, "it is not Base64");
    auto const& text = given[1].as_string();
    if (text.find("-----BEGIN") == std::string::npos) return call_failure(1, "it has no private key in PEM format");
    bio_ptr const source(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    // There is no prompt for a pass phrase, because this function is not interactive.
    auto const refuse = [](char*, int, int, void*) { return 0; };
    key_ptr const key(PEM_read_bio_PrivateKey(source.get(), nullptr, refuse, nullptr));
    if (!key) return call_failure(1, "the private key in it cannot be read");
    if (EVP_PKEY_base_id(key.get()) != EVP_PKEY_RSA) return call_failure(1, "it is not an RSA key");
    context_ptr const context(EVP_PKEY_CTX_new(key.get(), nullptr));
    std::string plain(static_cast<std::size_t>(EVP_PKEY_size(key.get())), '\0');
    auto size = plain.size();
    bool const done = context && EVP_PKEY_decrypt_init(context.get()) > 0
        && EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_PADDING) > 0
        && EVP_PKEY_decrypt(context.get(), reinterpret_cast<unsigned char*>(plain.data()), &size,
               reinterpret_cast<unsigned char const*>(cipher->data()), cipher->size())
            > 0;
    if (!done) return call_failure("this key does not decrypt this text");
    plain.resize(size);
    return value(std::move(plain));
}

[[nodiscard]] auto uuidv5(arguments given) -> call_result<value>
{
    auto const& space = given[0].as_string();
    boost::uuids::uuid of{};
    if (space == "dns") of = boost::uuids::ns::dns();
    else if (space == "url") of = boost::uuids::ns::url();
    else if (space == "oid") of = boost::uuids::ns::oid();
    else if (space == "x500") of = boost::uuids::ns::x500dn();
    else {
        auto const wrong = [&] {
            return call_failure("the namespace " + to_json(given[0]) + " is not dns, url, oid, x500 or a UUID");
        };
        std::string_view plain = space;
        if (plain.size() == 38 && plain.starts_with('{') && plain.ends_with('}')) plain = plain.substr(1, 36);
        if (plain.size() == 45 && plain.starts_with("urn:uuid:")) plain.remove_prefix(9);
        auto const is_hex = [](char c) { return hex_digit(c) >= 0; };
        bool const short_form = plain.size() == 32 && std::ranges::all_of(plain, is_hex);
        if (!short_form && !is_uuid(plain)) return wrong();
        of = boost::uuids::string_generator()(plain.begin(), plain.end());
    }
    return value(boost::uuids::to_string(boost::uuids::name_generator_sha1(of)(given[1].as_string())));
}

}  // namespace

void add_crypto_functions(function_table& table)
{
    table
        .add_in("bcrypt", {{"str", type::string()}}, type::string(),
            [](arguments given, call_context const& in) -> call_result<value> {
                if (!in.applying) return value::unknown(type::string()).refined_not_null();
                return bcrypt(given);
            })
        .variadic = parameter{"cost", type::number()};
    table.add(
        "rsadecrypt", {{"ciphertext", type::string()}, {"privatekey", type::string()}}, type::string(), rsadecrypt);
    table.add_in("uuid", {}, type::string(), [](arguments, call_context const& in) -> call_result<value> {
        if (!in.applying) return value::unknown(type::string()).refined_not_null();
        return value(random_uuid());
    });
    table.add("uuidv5", {{"namespace", type::string()}, {"name", type::string()}}, type::string(), uuidv5);
}

}  // namespace iacctl::language::detail
