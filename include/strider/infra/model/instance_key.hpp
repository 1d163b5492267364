// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_INSTANCE_KEY_HPP
#define STRIDER_INFRA_MODEL_INSTANCE_KEY_HPP

#include <strider/infra/model/quoted_key.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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
[[nodiscard]] inline auto to_string(instance_key const& key, key_syntax syntax = key_syntax::literal) -> std::string
{
    if (auto const* index = key.index()) return "[" + std::to_string(*index) + "]";
    auto const* name = key.name();
    if (name == nullptr) return key.is_unknown() ? "[*]" : "";
    std::string text = "[";
    detail::append_quoted_key(text, *name, syntax);
    return text + "]";
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_INSTANCE_KEY_HPP
