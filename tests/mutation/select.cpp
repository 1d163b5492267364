// SPDX-License-Identifier: BSL-1.0
// Reads which mutant the program runs with, and records which test reaches which mutants: a line for each test in the file
// STRIDER_REACHED_MUTANTS, with its name, its milliseconds of the processor and the numbers.
#include "mutant.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

int strider_selected_mutant = 0;
char strider_reached_mutants[STRIDER_MUTANTS + 1] = {};

namespace {

class recorder : public testing::EmptyTestEventListener {
public:
    explicit recorder(char const* path) : out_(path) {}

private:
    void write(std::string const& test)
    {
        std::clock_t const now = std::clock();
        out_ << test << '\t' << (now - before_) * 1000 / CLOCKS_PER_SEC << '\t';
        before_ = now;
        for (int number = 1; number <= STRIDER_MUTANTS; ++number)
            if (__atomic_exchange_n(&strider_reached_mutants[number], char{0}, __ATOMIC_RELAXED) != 0)
                out_ << number << ' ';
        out_ << '\n';
    }
    void OnTestStart(testing::TestInfo const& /*test*/) override { write("*"); }
    void OnTestEnd(testing::TestInfo const& test) override
    {
        write(std::string(test.test_suite_name()) + '.' + test.name());
    }
    void OnTestProgramEnd(testing::UnitTest const& /*all*/) override
    {
        write("*");
        out_.flush();
    }

    std::ofstream out_;
    std::clock_t before_ = std::clock();
};

// The priority puts this before the constructors of other units, which may contain mutants.
[[gnu::constructor(101)]] void read_selection()
{
    char const* const number = std::getenv("STRIDER_SELECTED_MUTANT");
    strider_selected_mutant = number == nullptr ? 0 : std::atoi(number);
}
[[gnu::constructor]] void record_reached()
{
    char const* const path = std::getenv("STRIDER_REACHED_MUTANTS");
    if (path != nullptr) testing::UnitTest::GetInstance()->listeners().Append(new recorder(path));
}

}  // namespace
