// SPDX-License-Identifier: BSL-1.0
// The source of two libraries: one has the precompiled header, the other the code of its inline functions.
namespace strider::test {
extern int const shared_pch = 0;
}  // namespace strider::test
