// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_BODY_SHAPE_HPP
#define IACCTL_LANGUAGE_SYNTAX_BODY_SHAPE_HPP

#include <span>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// The attributes and blocks that a body may contain.
struct body_shape {
    struct argument {
        std::string_view name;
        bool required = false;
    };
    struct nested {
        std::string_view type;
        std::vector<std::string_view> labels;  // the meaning of each label: "type", "name"
        body_shape const* content = nullptr;   // the content of such blocks, as far as it is known
    };

    std::vector<argument> arguments;
    std::vector<nested> blocks;
    /// Names that the language has removed from the body already; suggestions for misspelt names include them.
    std::span<std::string_view const> reserved = {};
};

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_BODY_SHAPE_HPP
