// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_ASSERT_HPP
#define STRIDER_CORE_ASSERT_HPP

#include <strider/version.hpp>

#include <cassert>

/// Asserts a precondition whose violation is a programming error. Has no effect under NDEBUG.
///
/// The sentence states the condition that must hold; the abort message prints it.
#define STRIDER_ASSERT(condition, sentence) assert((condition) && (sentence))

#endif  // STRIDER_CORE_ASSERT_HPP
