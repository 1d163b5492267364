// SPDX-License-Identifier: BSL-1.0
#include "digest.hpp"

#include "base/digest.hpp"
#include "base/encoding.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace iacctl::state {

namespace {

auto to_bytes(std::uint64_t number) -> std::array<std::uint8_t, 8>
{
    std::array<std::uint8_t, 8> bytes{};
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(number & 0xFFU);
        number >>= 8U;
    }
    return bytes;
}

}  // namespace

struct field_hasher::context {
    sha256_stream sha;
    std::array<char, 1024> waiting;  // fields are collected, since a call of the library costs more than most of them
    std::size_t used = 0;

    void add(void const* bytes, std::size_t count)
    {
        if (count > waiting.size() - used) flush();
        if (count > waiting.size()) {
            sha.add({static_cast<char const*>(bytes), count});
        } else if (count != 0) {
            std::memcpy(waiting.data() + used, bytes, count);
            used += count;
        }
    }

    void flush()
    {
        sha.add({waiting.data(), used});
        used = 0;
    }
};

field_hasher::field_hasher() : context_(std::make_unique<context>()) {}
field_hasher::field_hasher(field_hasher&&) noexcept = default;
auto field_hasher::operator=(field_hasher&&) noexcept -> field_hasher& = default;
field_hasher::~field_hasher() = default;

auto field_hasher::start(std::string_view subject) -> field_hasher&
{
    context_->sha.restart();
    context_->used = 0;
    return field(subject);
}

auto field_hasher::field(std::string_view text) -> field_hasher&
{
    auto const length = to_bytes(text.size());
    context_->add(length.data(), length.size());
    context_->add(text.data(), text.size());
    return *this;
}

auto field_hasher::field(std::int64_t number) -> field_hasher&
{
    auto const bytes = to_bytes(static_cast<std::uint64_t>(number));
    context_->add(bytes.data(), bytes.size());
    return *this;
}

auto field_hasher::field(digest const& value) -> field_hasher&
{
    context_->add(value.data(), value.size());
    return *this;
}

auto field_hasher::finish() -> digest
{
    digest result{};
    context_->flush();
    context_->sha.finish(result);
    return result;
}

content_sum::content_sum(digest const& bytes)
{
    if constexpr (std::endian::native == std::endian::little) std::memcpy(limbs_.data(), bytes.data(), bytes.size());
    else
        for (std::size_t i = 0; i < bytes.size(); ++i)
            limbs_[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (8U * (i % 8));
}

auto content_sum::bytes() const -> digest
{
    digest result{};
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<std::uint8_t>((limbs_[i / 8] >> (8U * (i % 8))) & 0xFFU);
    return result;
}

void content_sum::combine(digest const& d, bool subtract)
{
    content_sum const other(d);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
        std::uint64_t const before = limbs_[i];
        if (subtract) {
            limbs_[i] = before - other.limbs_[i] - carry;
            carry = before < other.limbs_[i] || (before == other.limbs_[i] && carry != 0) ? 1 : 0;
        } else {
            limbs_[i] = before + other.limbs_[i] + carry;
            carry = limbs_[i] < before || (limbs_[i] == before && carry != 0) ? 1 : 0;
        }
    }
}

auto digest_from(std::string_view bytes) -> digest
{
    digest result{};
    if (bytes.size() == result.size()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
}

auto to_hex(digest const& d) -> std::string
{
    return hex({reinterpret_cast<char const*>(d.data()), d.size()});
}

}  // namespace iacctl::state
