// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_IACCTL_UI_HPP
#define STRIDER_TESTS_PCH_IACCTL_UI_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ui/plan_text.hpp>

#endif  // STRIDER_TESTS_PCH_IACCTL_UI_HPP
