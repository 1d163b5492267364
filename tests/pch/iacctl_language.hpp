// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_IACCTL_LANGUAGE_HPP
#define STRIDER_TESTS_PCH_IACCTL_LANGUAGE_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <language/configuration/configuration.hpp>
#include <language/evaluation/evaluate.hpp>
#include <language/validation/validate.hpp>

#endif  // STRIDER_TESTS_PCH_IACCTL_LANGUAGE_HPP
