// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_XML_DOCUMENT_HPP
#define IACCTL_BASE_XML_DOCUMENT_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// The response of a web service in XML, whose elements have either text or other elements.
class xml_document {
public:
    /// Nothing if the text is not a well-formed document.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<xml_document>;

    /// The name of the outermost element.
    [[nodiscard]] auto root() const -> std::string const& { return elements_.front().name; }
    /// The texts of all elements with a name, in their order.
    [[nodiscard]] auto texts(std::string_view name) const -> std::vector<std::string>;
    /// The text of the first of them; empty if there is none.
    [[nodiscard]] auto text(std::string_view name) const -> std::string;

private:
    struct element {
        std::string name;
        std::string text;
    };

    std::vector<element> elements_;  // in the order of their begins
};

/// The text of the first element with a name in a response that may be of another form; empty if there is none.
[[nodiscard]] auto xml_text(std::string_view document, std::string_view name) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_XML_DOCUMENT_HPP
