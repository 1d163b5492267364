// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"
#include "support/unicode.hpp"

#include <openssl/evp.h>

#include <array>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] call_result<value> decoded(std::string const& text)
{
    auto made = from_json(text);
    if (!made) return call_failure(made.error().text());
    return *std::move(made);
}

void add_digest(function_table& table, std::string_view name, EVP_MD const* (*algorithm)(), bool in_base64)
{
    table.add(
        name, {{"str", type::string()}}, type::string(), [algorithm, in_base64](arguments given) -> call_result<value> {
            auto const sum = digest(given[0].as_string(), algorithm());
            return value(in_base64 ? base64(sum) : hexadecimal(sum));
        });
}

}  // namespace

std::string digest(std::string_view of, EVP_MD const* algorithm)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
    unsigned length = 0;
    EVP_Digest(of.data(), of.size(), sum.data(), &length, algorithm, nullptr);
    return {reinterpret_cast<char const*>(sum.data()), length};
}

std::string hexadecimal(std::string_view bytes)
{
    std::string out;
    for (char const c : bytes) {
        auto const byte = static_cast<unsigned char>(c);
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 0xF];
    }
    return out;
}

std::string base64(std::string_view bytes)
{
    static constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        auto const length = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t j = 0; j < 3; ++j)
            group = group << 8 | (j < length ? static_cast<unsigned char>(bytes[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j) out += j <= length ? alphabet[group >> (18 - 6 * j) & 0x3F] : '=';
    }
    return out;
}

std::optional<std::string> from_base64(std::string_view text)
{
    std::string clean;
    for (char const c : text)
        if (c != '\n' && c != '\r') clean += c;
    if (clean.size() % 4 != 0) return std::nullopt;
    std::string out;
    for (std::size_t i = 0; i < clean.size(); i += 4) {
        std::uint32_t group = 0;
        std::size_t padding = 0;
        for (std::size_t j = 0; j < 4; ++j) {
            char const c = clean[i + j];
            std::uint32_t digit = 0;
            if (c >= 'A' && c <= 'Z') digit = static_cast<std::uint32_t>(c - 'A');
            else if (c >= 'a' && c <= 'z') digit = static_cast<std::uint32_t>(c - 'a') + 26;
            else if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0') + 52;
            else if (c == '+') digit = 62;
            else if (c == '/') digit = 63;
            else if (c == '=' && j >= 2 && i + 4 == clean.size()) ++padding;
            else return std::nullopt;
            if (padding > 0 && c != '=') return std::nullopt;
            group = group << 6 | digit;
        }
        for (std::size_t j = 0; j + padding < 3; ++j) out += static_cast<char>(group >> (16 - 8 * j) & 0xFF);
    }
    return out;
}

void add_encoding_functions(function_table& table)
{
    add_digest(table, "md5", EVP_md5, false);
    add_digest(table, "sha1", EVP_sha1, false);
    add_digest(table, "sha256", EVP_sha256, false);
    add_digest(table, "sha512", EVP_sha512, false);
    add_digest(table, "base64sha256", EVP_sha256, true);
    add_digest(table, "base64sha512", EVP_sha512, true);
    parameter const str{"str", type::string()};
    table.add("base64encode", {str}, type::string(),
        [](arguments given) -> call_result<value> { return value(base64(given[0].as_string())); });
    table.add("base64decode", {str}, type::string(), [](arguments given) -> call_result<value> {
        auto const decoded = from_base64(given[0].as_string());
        if (!decoded) return call_failure("the text is not Base64");
        if (!is_utf8(*decoded)) return call_failure("the bytes that it stands for are not UTF-8 text");
        return value(*decoded);
    });
    table.add("urlencode", {str}, type::string(), [](arguments given) -> call_result<value> {
        std::string out;
        for (char const c : given[0].as_string()) {
            bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
                || c == '_' || c == '.' || c == '~';
            if (plain) out += c;
            else if (c == ' ') out += '+';
            else {
                auto const byte = static_cast<unsigned char>(c);
                out += '%';
                out += "0123456789ABCDEF"[byte >> 4];
                out += "0123456789ABCDEF"[byte & 0xF];
            }
        }
        return value(std::move(out));
    });
    table.add("jsonencode", {{"val", type::dynamic(), true, false, false}}, type::string(),
        [](arguments given) -> call_result<value> {
            if (!given[0].wholly_known()) return value::unknown(type::string()).refined_not_null();
            return value(to_json(given[0]));
        });
    table.add(
        "jsondecode", {str},
        [](arguments given) -> call_result<type> {
            if (given[0].is_unknown()) return type::dynamic();
            auto const read = decoded(given[0].as_string());
            if (!read) return read.error();
            return read->get_type();
        },
        [](arguments given) { return decoded(given[0].as_string()); });
}

}  // namespace iacctl::language::detail
