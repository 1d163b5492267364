// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_IACCTL_APP_HPP
#define STRIDER_TESTS_PCH_IACCTL_APP_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <app/plan_file.hpp>

#endif  // STRIDER_TESTS_PCH_IACCTL_APP_HPP
