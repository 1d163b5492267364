// SPDX-License-Identifier: BSL-1.0
#include "base/json.hpp"
#include "state_v4.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace iacctl::state {

auto seal_v4(std::string text, infra::snapshot const& s, encryption::target const& t) -> expected<std::string>
{
    std::string clear = "\"serial\":" + std::to_string(s.serial) + ",\"lineage\":";
    append_json_string(clear, s.lineage);
    return t.seal(std::move(text), clear + ",");
}

auto from_sealed_v4(std::string text, encryption::target const& t, std::string_view subject, v4_additions* more)
    -> expected<infra::snapshot>
{
    // An empty text is the result of a crash, and not an unencrypted state.
    if (text.empty() || !t.has_keys()) {
        if (!encryption::is_sealed(text)) return from_v4(text, more);
    }
    std::optional<std::uint64_t> serial;
    std::string lineage;
    if (auto const outer = parse_json(encryption::is_sealed(text) ? text : std::string())) {
        if (json const* const one = outer->find("serial")) serial = one->natural();
        if (json const* const one = outer->find("lineage"); one != nullptr && one->text() != nullptr)
            lineage = *one->text();
    }
    auto const opened = t.open(std::move(text), subject);
    if (!opened) return opened.error();
    auto content = from_v4(*opened, more);
    if (!content) return content;
    bool const same = (!serial || *serial == content->serial) && (lineage.empty() || lineage == content->lineage);
    if (!same) return make_failure(messages::state_file_relabelled, {subject});
    return content;
}

}  // namespace iacctl::state
