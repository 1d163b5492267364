// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_XML_ELEMENTS_HPP
#define IACCTL_BASE_XML_ELEMENTS_HPP

#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// The texts of all elements of an XML document with a name, in their order, with the references to characters replaced.
/// Meant for the answers of web services, whose elements with text have no other content.
[[nodiscard]] auto xml_elements(std::string_view document, std::string_view name) -> std::vector<std::string>;

/// The text of the first of them; empty if there is none.
[[nodiscard]] auto xml_element(std::string_view document, std::string_view name) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_XML_ELEMENTS_HPP
