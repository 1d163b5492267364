// SPDX-License-Identifier: BSL-1.0
#include <fuzz/shrink.hpp>
#include <fuzz/world.hpp>

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

auto words_of(std::string const& line) -> std::vector<std::string>
{
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

auto line_of(std::vector<std::string> const& words) -> std::string
{
    std::string line;
    for (std::string const& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
}

// Returns whether every module with declarations is declared: other programs have no meaning.
auto declares_modules(scenario const& s) -> bool
{
    for (scenario_step const& step : s.steps)
        for (std::string const& line : step.program) {
            std::string const name = words_of(line).front();
            auto const slash = name.rfind('/');
            if (slash == std::string::npos) continue;
            std::string const path = name.substr(0, slash);
            auto const outer = path.rfind('/');
            std::string const call = outer == std::string::npos
                ? "module." + path
                : path.substr(0, outer + 1) + "module." + path.substr(outer + 1);
            bool const declared = std::any_of(step.program.begin(), step.program.end(),
                [&](std::string const& other) { return words_of(other).front() == call; });
            if (!declared) return false;
        }
    return true;
}

// Returns whether the actions of all triggers are declared.
auto declares_actions(scenario const& s) -> bool
{
    for (scenario_step const& step : s.steps) {
        auto const program = toy(step.text());
        auto const& all = program.declarations();
        auto const is_declared = [&](auto const& action) {
            return std::any_of(all.begin(), all.end(), [&](auto const& d) { return d.name == action.name; });
        };
        for (auto const& d : all)
            for (auto const& t : d.action_triggers)
                if (!std::all_of(t.actions.begin(), t.actions.end(), is_declared)) return false;
    }
    return true;
}

class shrinker {
public:
    shrinker(scenario s, std::string_view law, planted_fault fault, std::size_t attempts)
        : best_(std::move(s)),
          law_(law),
          fault_(fault),
          left_(attempts)
    {}

    auto run() -> scenario
    {
        for (bool smaller = true; smaller && left_ > 0;) {
            smaller = false;
            for (auto const drop : {&shrinker::drop_steps, &shrinker::drop_lines, &shrinker::drop_names,
                     &shrinker::drop_words, &shrinker::drop_commands})
                smaller = (this->*drop)() || smaller;
        }
        return std::move(best_);
    }

private:
    [[nodiscard]] auto still_fails(scenario const& s) -> bool
    {
        if (left_ == 0 || !declares_modules(s)) return false;
        --left_;
        try {
            if (!declares_actions(s)) return false;
            auto const outcome = play_lifecycle(s, fault_);
            return std::any_of(outcome.violations.begin(), outcome.violations.end(),
                [this](std::string const& v) { return law_of(v) == law_; });
        } catch (std::exception const&) {
            return false;  // the rest is not a lifecycle
        }
    }
    auto accept(scenario s) -> bool
    {
        if (!still_fails(s)) return false;
        best_ = std::move(s);
        return true;
    }

    auto drop_steps() -> bool
    {
        bool any = false;
        for (std::size_t i = best_.steps.size(); i-- > 0 && best_.steps.size() > 1;) {
            scenario s = best_;
            s.steps.erase(s.steps.begin() + static_cast<std::ptrdiff_t>(i));
            any = accept(std::move(s)) || any;
        }
        return any;
    }
    // Removes the declaration of a name from all programs, with the references to it.
    auto drop_names() -> bool
    {
        bool any = false;
        std::vector<std::string> names;
        for (scenario_step const& step : best_.steps)
            for (std::string const& line : step.program) {
                std::string const name = words_of(line).front();
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            }
        for (std::string const& name : names) {
            scenario s = best_;
            for (scenario_step& step : s.steps) {
                std::erase_if(step.program, [&](std::string const& line) { return words_of(line).front() == name; });
                for (std::string& line : step.program) {
                    auto words = words_of(line);
                    auto const refers = [&](std::string const& word) {
                        for (std::size_t at = word.find(name); at != std::string::npos; at = word.find(name, at + 1)) {
                            bool const begins =
                                at > 0 && std::string_view("$=,:").find(word[at - 1]) != std::string::npos;
                            std::size_t const end = at + name.size();
                            bool const ends =
                                end == word.size() || std::string_view(".[,:").find(word[end]) != std::string::npos;
                            if (begins && ends) return true;
                        }
                        return false;
                    };
                    words.erase(std::remove_if(words.begin() + 1, words.end(), refers), words.end());
                    line = line_of(words);
                }
            }
            any = accept(std::move(s)) || any;
        }
        return any;
    }
    auto drop_lines() -> bool
    {
        bool any = false;
        for (std::size_t i = 0; i < best_.steps.size(); ++i)
            for (std::size_t j = best_.steps[i].program.size(); j-- > 0;) {
                scenario s = best_;
                s.steps[i].program.erase(s.steps[i].program.begin() + static_cast<std::ptrdiff_t>(j));
                any = accept(std::move(s)) || any;
            }
        return any;
    }
    auto drop_words() -> bool
    {
        bool any = false;
        for (std::size_t i = 0; i < best_.steps.size(); ++i)
            for (std::size_t j = 0; j < best_.steps[i].program.size(); ++j) {
                for (std::size_t w = words_of(best_.steps[i].program[j]).size(); w-- > 1;) {
                    auto words = words_of(best_.steps[i].program[j]);
                    words.erase(words.begin() + static_cast<std::ptrdiff_t>(w));
                    // The word is first removed from all programs, because a removal from a single program would be an
                    // edit.
                    scenario s = best_;
                    std::string const old = best_.steps[i].program[j];
                    for (scenario_step& step : s.steps)
                        for (std::string& line : step.program)
                            if (line == old) line = line_of(words);
                    if (accept(std::move(s))) {
                        any = true;
                        continue;
                    }
                    s = best_;
                    s.steps[i].program[j] = line_of(words);
                    any = accept(std::move(s)) || any;
                }
            }
        return any;
    }
    auto drop_commands() -> bool
    {
        bool any = false;
        for (std::size_t i = 0; i < best_.steps.size(); ++i)
            for (std::size_t w = best_.steps[i].words.size(); w-- > 1;) {
                scenario s = best_;
                s.steps[i].words.erase(s.steps[i].words.begin() + static_cast<std::ptrdiff_t>(w));
                any = accept(std::move(s)) || any;
            }
        return any;
    }

    scenario best_;
    std::string law_;
    planted_fault fault_;
    std::size_t left_;
};

}  // namespace

auto law_of(std::string_view violation) -> std::string_view
{
    return violation.substr(0, violation.find(':'));
}

auto shrink(scenario s, std::string_view law, planted_fault fault, std::size_t attempts) -> scenario
{
    return shrinker(std::move(s), law, fault, attempts).run();
}

auto to_test(scenario const& s, std::string_view name) -> std::string
{
    std::string text = "TEST(FuzzedLifecycles, " + std::string(name) + ")\n{\n    expect_no_violation(R\"(\n";
    std::istringstream lines(to_text(s));
    for (std::string line; std::getline(lines, line);) text += "        " + line + "\n";
    return text + "    )\");\n}\n";
}

}  // namespace strider::test
