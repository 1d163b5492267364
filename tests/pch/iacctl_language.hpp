// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_IACCTL_LANGUAGE_HPP
#define STRIDER_TESTS_PCH_IACCTL_LANGUAGE_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <language/configuration.hpp>
#include <language/evaluate.hpp>
#include <language/validate.hpp>

#endif  // STRIDER_TESTS_PCH_IACCTL_LANGUAGE_HPP
