// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_RECORDED_DURATIONS_HPP
#define IACCTL_WORKSPACE_RECORDED_DURATIONS_HPP

#include <strider/infra/model/action.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// The durations of operations in earlier runs, in a file of the workspace. Only estimates of the remaining time depend
/// on it, so a missing or damaged file is treated as empty.
class recorded_durations {
public:
    using key = std::pair<infra::operation_kind, std::string>;  ///< with an address

    /// Shorter operations are not recorded, because they hardly affect an estimate, and there are many of them.
    static constexpr double shortest = 0.1;  // seconds

    /// \param directory  of the workspace
    [[nodiscard]] static auto read(std::filesystem::path const& directory) -> recorded_durations;
    /// The durations in a file with the same format; nothing if it cannot be read or has another format.
    [[nodiscard]] static auto read_file(std::filesystem::path const& file) -> std::optional<recorded_durations>;

    /// The duration in seconds, if it was recorded.
    [[nodiscard]] auto find(key const& k) const -> std::optional<double>;
    [[nodiscard]] auto all() const noexcept -> std::map<key, double> const& { return seconds_; }

    /// Records a duration; a duration that is too short removes the recorded one.
    void record(key const& k, double seconds);

    /// Writes the file if anything changed, and the directory exists.
    void write(std::filesystem::path const& directory) const;

private:
    std::map<key, double> seconds_;
    bool changed_ = false;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_RECORDED_DURATIONS_HPP
