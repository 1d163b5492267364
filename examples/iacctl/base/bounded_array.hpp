// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_BOUNDED_ARRAY_HPP
#define IACCTL_BASE_BOUNDED_ARRAY_HPP

#include "json_writer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace iacctl {

/// Writes the elements of a JSON array that fit, and counts the others.
class bounded_array {
public:
    /// \param longest  bytes of all elements
    explicit bounded_array(std::size_t longest) : room_(longest) {}

    void raw(std::string_view json)
    {
        if (json.size() > room_) {
            ++left_out_;
            return;
        }
        room_ -= json.size();
        written_.raw(json);
    }

    /// The elements that did not fit.
    [[nodiscard]] auto left_out() const noexcept -> std::uint64_t { return left_out_; }
    [[nodiscard]] auto done() const -> std::string { return written_.done(); }

private:
    json_array written_;
    std::size_t room_;
    std::uint64_t left_out_ = 0;
};

}  // namespace iacctl

#endif  // IACCTL_BASE_BOUNDED_ARRAY_HPP
