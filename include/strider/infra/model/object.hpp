// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_OBJECT_HPP
#define STRIDER_INFRA_MODEL_OBJECT_HPP

#include <strider/infra/model/dependency_set.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace strider::infra {

/// A value in its stored form: a text that only its program can parse. Immutable; copies share the text.
class document {
public:
    document() = default;
    /// Stores a copy of the text. An empty text makes an empty document without allocation.
    explicit document(std::string text)
        : text_(text.empty() ? nullptr : std::make_shared<std::string const>(std::move(text)))
    {}

    /// The stored text, valid as long as a copy of the document exists; empty for an empty document.
    [[nodiscard]] auto text() const noexcept -> std::string const&
    {
        static std::string const none;
        return text_ == nullptr ? none : *text_;
    }
    /// True if the text is empty.
    [[nodiscard]] auto empty() const noexcept -> bool { return text_ == nullptr; }

    /// Compares the texts; copies of one document compare in constant time.
    friend auto operator==(document const& a, document const& b) noexcept -> bool
    {
        return a.text_ == b.text_ || a.text() == b.text();
    }

private:
    std::shared_ptr<std::string const> text_;  // null: empty
};

/// An existing object, as state stores it.
struct object {
    document attributes;  ///< the values, encoded by the program
    document sensitive;                     ///< positions of sensitive values in it
    document private_data;  ///< of its provider, beside the attributes; kept until the provider returns other data
    std::string provider;  ///< the provider that created it and changes or destroys it
    dependency_set dependencies;  ///< the objects that this one was made after
    std::uint64_t schema_version = 0;  ///< version of the format of the attributes, as the provider numbers it
    bool tainted = false;  ///< created incompletely: to be replaced
    bool create_before_destroy = false;  ///< declared or forced when it was created
    bool keep = false;  ///< declared with `destroy = false`: the object leaves state instead of being destroyed
    bool unfinished = false;  ///< tainted because work after its creation was started and has no recorded end

    /// Compares all members.
    friend auto operator==(object const&, object const&) -> bool = default;
};

/// The value of an output in state.
struct output_value {
    document value;  ///< the value, encoded by the program
    document type;  ///< its type, encoded by the program
    bool sensitive = false;  ///< the value must not be displayed

    /// Compares all members.
    friend auto operator==(output_value const&, output_value const&) -> bool = default;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_OBJECT_HPP
