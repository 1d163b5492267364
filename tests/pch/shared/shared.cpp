// SPDX-License-Identifier: BSL-1.0
// A library with a precompiled header needs a source.
namespace strider::test {
extern int const shared_pch = 0;
}  // namespace strider::test
