// SPDX-License-Identifier: BSL-1.0
// A source of the library to which the precompiled header belongs.
namespace strider::test {
extern int const shared_pch = 0;
}  // namespace strider::test
