// SPDX-License-Identifier: BSL-1.0
// The library of a precompiled header needs a source.
namespace strider::test {
extern int const shared_pch = 0;
}  // namespace strider::test
