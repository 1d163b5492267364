// SPDX-License-Identifier: BSL-1.0
#include "attribute_place.hpp"

#include "language/validation/path_text.hpp"
#include "language/validation/validate.hpp"

#include <vector>

namespace iacctl::program {

auto place_of_attribute(std::string const& path, language::body const& in, language::schema const& schema,
    language::source_range const& block) -> strider::infra::source_excerpt
{
    auto const steps = path.empty() ? std::vector<language::path_step>() : language::parse_path(path);
    auto const place = language::place_of(steps, in, schema);
    return place == in.missing_item_range()
        ? language::excerpt_of(place)
        : language::excerpt_of(place, {block.file, {place.bytes.begin, block.bytes.end}});
}

}  // namespace iacctl::program
