// SPDX-License-Identifier: BSL-1.0
// Selects mutants in programs that contain all of them. The compiler includes this file before the sources.
#ifndef STRIDER_TESTS_MUTATION_MUTANT_HPP
#define STRIDER_TESTS_MUTATION_MUTANT_HPP

#ifdef STRIDER_MUTANT
// One mutant, selected at compile time: in constant expressions too.
[[nodiscard]] constexpr auto strider_is_mutant(int number) noexcept -> bool
{
    return number == STRIDER_MUTANT;
}
#else
extern int strider_selected_mutant;  // 0: none; -1: those that are reached are recorded
extern char strider_reached_mutants[];

// One mutant, selected at run time by STRIDER_SELECTED_MUTANT. In constant expressions none is.
[[nodiscard]] constexpr auto strider_is_mutant(int number) noexcept -> bool
{
    if (__builtin_is_constant_evaluated()) return false;
    if (strider_selected_mutant < 0) __atomic_store_n(&strider_reached_mutants[number], char{1}, __ATOMIC_RELAXED);
    return strider_selected_mutant == number;
}
#endif

#endif  // STRIDER_TESTS_MUTATION_MUTANT_HPP
