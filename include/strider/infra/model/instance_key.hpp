// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_INSTANCE_KEY_HPP
#define STRIDER_INFRA_MODEL_INSTANCE_KEY_HPP

#include <strider/version.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace strider::infra {

namespace detail {

// The text of a key, which its copies share.
struct key_text {
    std::string text;
    mutable std::atomic<std::size_t> references{0};
};

inline void intrusive_ptr_add_ref(key_text const* counted) noexcept
{
    counted->references.fetch_add(1, std::memory_order_relaxed);
}
inline void intrusive_ptr_release(key_text const* counted) noexcept
{
    if (counted->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete counted;
}

}  // namespace detail

/// The key of an instance of a resource or module: none, a number, or a text. Copies share the text.
///
/// Ordered as in state lists: none, numbers ascending, texts bytewise.
class instance_key {
public:
    instance_key() = default;
    /// Copies share the text. A key from which another was moved is no key.
    /// @{
    instance_key(instance_key const&) = default;
    instance_key(instance_key&& other) noexcept { swap(other); }
    auto operator=(instance_key const&) -> instance_key& = default;
    auto operator=(instance_key&& other) noexcept -> instance_key&
    {
        instance_key taken(std::move(other));
        swap(taken);
        return *this;
    }
    /// @}
    ~instance_key() = default;
    /// The key of an instance of a declaration with count.
    explicit instance_key(std::int64_t index) noexcept : number_(index), kind_(kind_type::number) {}
    /// The key of an instance of a declaration with for_each; an empty text is a key, too.
    explicit instance_key(std::string name) : name_(new detail::key_text{std::move(name)}), kind_(kind_type::text) {}
    /// The key of all instances of a declaration whose keys are not known before an apply. No object has it.
    [[nodiscard]] static auto unknown() -> instance_key
    {
        instance_key made;
        made.kind_ = kind_type::unknown;
        return made;
    }

    /// True if there is a key, of any kind.
    [[nodiscard]] explicit operator bool() const noexcept { return kind_ != kind_type::none; }
    /// The number; null for a text and for no key.
    [[nodiscard]] auto index() const noexcept -> std::int64_t const*
    {
        return kind_ == kind_type::number ? &number_ : nullptr;
    }
    /// The text; null for a number and for no key.
    [[nodiscard]] auto name() const noexcept -> std::string const*
    {
        return kind_ == kind_type::text ? &name_->text : nullptr;
    }
    /// True for the key of instances that are not known yet.
    [[nodiscard]] auto is_unknown() const noexcept -> bool { return kind_ == kind_type::unknown; }

    /// Compares kind and content: the number 0 and the text "0" are different keys.
    friend auto operator==(instance_key const& a, instance_key const& b) noexcept -> bool { return (a <=> b) == 0; }
    /// Orders no key before numbers, numbers before texts, and texts before the unknown key.
    friend auto operator<=>(instance_key const& a, instance_key const& b) noexcept -> std::strong_ordering
    {
        if (auto const c = a.kind_ <=> b.kind_; c != 0) return c;
        if (auto const c = a.number_ <=> b.number_; c != 0) return c;
        return a.name_ == b.name_ ? std::strong_ordering::equal : a.name_->text.compare(b.name_->text) <=> 0;
    }

private:
    enum class kind_type : std::uint8_t { none, number, text, unknown };

    void swap(instance_key& other) noexcept
    {
        std::swap(number_, other.number_);
        name_.swap(other.name_);
        std::swap(kind_, other.kind_);
    }

    // Not a `std::variant`, which takes longer to compile and more memory.
    std::int64_t number_ = 0;
    boost::intrusive_ptr<detail::key_text const> name_;
    kind_type kind_ = kind_type::none;
};

/// Formats a key: "", `[0]`, `["name"]` or, if it is unknown, `[*]`.
[[nodiscard]] inline auto to_string(instance_key const& key) -> std::string
{
    if (auto const* index = key.index()) return "[" + std::to_string(*index) + "]";
    auto const* name = key.name();
    if (name == nullptr) return key.is_unknown() ? "[*]" : "";
    std::string text = "[\"";
    for (char const c : *name) {
        if (c == '"' || c == '\\') text += '\\';
        if (c == '\n') text += "\\n";
        else if (c == '\r') text += "\\r";
        else if (c == '\t') text += "\\t";
        else text += c;
    }
    return text + "\"]";
}

namespace detail {

// Appends a character in UTF-8. \return false if there is no such character
[[nodiscard]] inline auto append_utf8(std::string& to, std::uint32_t code) -> bool
{
    if (code > 0x10FFFFU || (code >= 0xD800U && code < 0xE000U)) return false;
    if (code < 0x80U) {
        to += static_cast<char>(code);
        return true;
    }
    unsigned const further = code < 0x800U ? 1 : code < 0x10000U ? 2 : 3;
    to += static_cast<char>((0xFF00U >> (further + 1) & 0xFFU) | code >> (6 * further));
    for (unsigned left = further; left > 0; --left) to += static_cast<char>(0x80U | (code >> (6 * (left - 1)) & 0x3FU));
    return true;
}

// Reads a key in quotes, behind the first one, and removes it from `rest` with the last one. Besides the escapes that
// `to_string` writes, it may have those of HCL for characters, such as `\u00e9` and `\U0001f600`.
[[nodiscard]] inline auto read_quoted_key(std::string_view& rest, std::string& name) -> bool
{
    for (;;) {
        std::size_t plain = 0;
        while (plain < rest.size() && rest[plain] != '"' && rest[plain] != '\\') ++plain;
        name += rest.substr(0, plain);
        rest.remove_prefix(plain);
        if (rest.size() < 2) {
            bool const ends = rest == "\"";
            rest = {};
            return ends;
        }
        char const first = rest[0];
        char const escaped = rest[1];
        rest.remove_prefix(first == '"' ? 1 : 2);
        if (first == '"') return true;
        if (escaped != 'u' && escaped != 'U') {
            name += escaped == 'n' ? '\n' : escaped == 'r' ? '\r' : escaped == 't' ? '\t' : escaped;
            continue;
        }
        std::size_t const digits = escaped == 'u' ? 4 : 8;
        std::string_view const number = rest.substr(0, digits);
        std::uint32_t code = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), code, 16);
        bool const whole = error == std::errc() && number.size() == digits && end == number.data() + digits;
        if (!whole || !append_utf8(name, code)) return false;
        rest.remove_prefix(digits);
    }
}

}  // namespace detail

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_INSTANCE_KEY_HPP
