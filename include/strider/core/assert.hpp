// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_ASSERT_HPP
#define STRIDER_CORE_ASSERT_HPP

#include <cassert>

/// Checks a precondition that only a programming mistake can break; vanishes under NDEBUG.
///
/// The sentence is what the reader of the abort message needs: it says what must hold, not what was tested.
#define STRIDER_ASSERT(condition, sentence) assert((condition) && (sentence))

#endif  // STRIDER_CORE_ASSERT_HPP
