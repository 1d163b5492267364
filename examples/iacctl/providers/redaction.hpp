// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_REDACTION_HPP
#define IACCTL_PROVIDERS_REDACTION_HPP

#include "language/values/value.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::providers {

/// Replaces sensitive and ephemeral values in the texts of a provider: it receives them without marks, and may repeat
/// them in its diagnostics.
///
/// A marked text is replaced wherever it occurs: also one of its lines, a string in it if it is JSON, the directory and the
/// name in it if it is a path, a part of it if it is a URL, and each of these with the escapes of JSON, Go or URLs. A text of at most three bytes is replaced only where
/// it is a word of its own, because it also occurs in other words. Booleans are not replaced.
class redaction {
public:
    /// Adds the parts of a value that are marked.
    void hide(language::value const& v) { collect(v, language::mark::none); }

    [[nodiscard]] auto redacted(std::string_view text) const -> std::string;
    /// Replaces the values in the texts of diagnostics.
    void apply(strider::infra::diagnostics& to) const;

private:
    struct hidden {
        std::string text;
        language::mark because;
    };

    void collect(language::value const& v, language::mark inherited);
    void add(std::string_view text, language::mark because);
    void add_parts(std::string const& text, language::mark because);

    std::vector<hidden> all_;
};

/// The marks in the configuration of a program: "sensitive, ephemeral". Empty: it has none, and what the program prints
/// may be shown. It may print values in any form, so nothing of it is shown otherwise.
[[nodiscard]] auto marks_text(language::value const& config) -> std::string;
/// The line that replaces each line of output if the configuration has marks, which `marks` names.
[[nodiscard]] auto suppressed_line(std::string const& marks) -> std::string;
/// The text that replaces all of the output in a message, or another text, in the same case.
/// \param text  "the provisioner"
[[nodiscard]] auto hidden_text(std::string const& marks, std::string_view text) -> std::string;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_REDACTION_HPP
