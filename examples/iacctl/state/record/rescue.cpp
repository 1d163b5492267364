// SPDX-License-Identifier: BSL-1.0
#include "rescue.hpp"

#include "base/durable_file.hpp"
#include "base/random.hpp"
#include "base/timestamp.hpp"
#include "state/document/state_v4.hpp"
#include "workspace_files.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

namespace iacctl::state {

auto write_rescue(infra::snapshot const& s, rescue_places const& places, std::string const& why) -> rescue_copy
{
    infra::snapshot complete = s;
    if (complete.lineage.empty())
        complete.lineage = places.lineage.empty() ? random_uuid() : std::string(places.lineage);
    ++complete.serial;  // newer than any part of it that was saved
    std::string text = to_v4(complete, places.version, true, places.replaces);
    if (places.encryption != nullptr) {
        // Without a key, nothing could have been read or written, so the key that was used is still in memory.
        auto sealed = seal_v4(std::move(text), complete, *places.encryption);
        if (!sealed) {
            rescue_copy none;
            none.reported = messages::make_error(messages::state_unsaved,
                {why.empty() ? std::string() : why + "\n\n", "\n" + sealed.error().why().front().detail});
            return none;
        }
        text = std::move(*sealed);
    }

    std::string const stamp = timestamp::now().compact_text();
    std::string const name = "rescue-" + stamp + "-" + random_hex(4) + ".tfstate";
    std::vector<std::filesystem::path> folders{workspace_files(places.workspace_directory).spool()};
    if (places.emergency_directory) folders.push_back(*places.emergency_directory);

    rescue_copy copy;
    std::string const earlier = why.empty() ? std::string() : why + "\n\n";
    std::string tried;
    for (std::filesystem::path const& folder : folders) {
        std::error_code ignored;
        std::filesystem::create_directories(folder, ignored);
        std::filesystem::path const file = folder / name;
        error_code const error = write_new_file(file, text);
        if (!error) {
            copy.place = rescue_copy::place_type::file;
            copy.file = file;
            copy.reported =
                messages::make_error(messages::state_rescued, {earlier, file.string(), tried, places.options});
            return copy;
        }
        tried += "\n" + file.string() + ": " + error.message() + '.';
    }
    if (!write_all(places.output, text)) {
        copy.place = rescue_copy::place_type::output;
        copy.reported = messages::make_error(messages::state_printed, {earlier, tried, places.options});
        return copy;
    }
    copy.reported = messages::make_error(messages::state_unsaved, {earlier, tried});
    return copy;
}

}  // namespace iacctl::state
