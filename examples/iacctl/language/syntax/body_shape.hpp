// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_BODY_SHAPE_HPP
#define IACCTL_LANGUAGE_SYNTAX_BODY_SHAPE_HPP

#include <span>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// Which attributes and blocks a body may hold.
struct body_shape {
    struct argument {
        std::string_view name;
        bool required = false;
    };
    struct nested {
        std::string_view type;
        std::vector<std::string_view> labels;  // what each label is: "type", "name"
        body_shape const* content = nullptr;   // what such blocks hold, as far as that is known
    };

    std::vector<argument> arguments;
    std::vector<nested> blocks;
    /// Names that the language itself knows there, and has taken out: an unknown name may be a slip for one.
    std::span<std::string_view const> reserved = {};
};

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_BODY_SHAPE_HPP
