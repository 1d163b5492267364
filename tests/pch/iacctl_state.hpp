// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_IACCTL_STATE_HPP
#define STRIDER_TESTS_PCH_IACCTL_STATE_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iacctl/state/support.hpp>

#endif  // STRIDER_TESTS_PCH_IACCTL_STATE_HPP
