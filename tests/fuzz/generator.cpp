// SPDX-License-Identifier: BSL-1.0
#include <fuzz/editable_program.hpp>
#include <fuzz/generator.hpp>
#include <fuzz/random_generator.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

class author {
public:
    explicit author(std::uint64_t seed) : random_(seed), now_(random_) {}

    [[nodiscard]] auto write() -> scenario
    {
        scenario s;
        now_.add_some(2 + random_.below(6));
        std::vector<std::string> words{"apply"};
        add_order(words);
        if (random_.one_in(4)) add_faults(words);
        s.steps.push_back({now_.lines(), std::move(words)});
        if (random_.one_in(12)) add_move_of_deposed(s);
        if (random_.one_in(12)) add_deferral(s);
        std::size_t const more = 1 + random_.below(3);
        for (std::size_t i = 0; i < more; ++i) add_step(s);
        return s;
    }

private:
    // Replacements that leave deposed objects, followed by other addresses.
    void add_move_of_deposed(scenario& s)
    {
        now_.replace_all();
        std::string const seed = std::to_string(random_.below(1'000'000));
        s.steps.push_back({now_.lines(), {"apply", "rates=300,0,0,0@" + seed}});
        now_.rename_some();
        s.steps.push_back({now_.lines(), {"apply"}});
    }

    // Instances that are not known before an apply.
    void add_deferral(scenario& s)
    {
        if (!now_.repeat_by_stamp()) return;
        std::vector<std::string> words{"apply", "defer"};
        add_order(words);
        if (random_.one_in(3)) add_faults(words);
        s.steps.push_back({now_.lines(), std::move(words)});
    }

    void add_step(scenario& s)
    {
        now_.end_imports();
        if (random_.one_in(6)) add_change_outside(s);
        std::vector<std::string> const earlier = now_.lines();
        // Statements stay for some steps, so that they form chains.
        if (!now_.statements.empty() && random_.one_in(2)) now_.statements.clear();
        std::size_t const edits = random_.below(5);
        for (std::size_t i = 0; i < edits; ++i) now_.edit();
        if (random_.one_in(8)) add_object_to_import(s);

        if (random_.one_in(12)) add_invocation(s);
        std::vector<std::string> words{"apply"};
        bool const destroys = random_.one_in(12);
        if (destroys) words[0] = "destroy";
        else if (random_.one_in(20)) words[0] = "refresh";
        add_order(words);
        add_selection(words);
        if (random_.one_in(2)) add_faults(words);
        if (random_.one_in(12)) words.emplace_back("refresh=false");
        if (random_.one_in(12)) words.emplace_back("forgetful");
        if (random_.one_in(8)) words.emplace_back("defer");
        s.steps.push_back({now_.lines(), std::move(words)});
        if (!random_.one_in(7)) return;
        std::vector<std::string> other{random_.one_in(6) ? "destroy" : "apply"};
        add_order(other);
        other.emplace_back("together");
        if (random_.one_in(2)) other.emplace_back("saved");
        if (random_.one_in(2)) now_.edit();
        s.steps.push_back({random_.one_in(2) ? earlier : now_.lines(), std::move(other)});
    }

    // Invokes an action without a change.
    void add_invocation(scenario& s)
    {
        std::string const action = now_.action();
        if (action.empty()) return;
        std::vector<std::string> words{"refresh", "invoke=" + action};
        add_order(words);
        if (random_.one_in(4)) add_faults(words);
        s.steps.push_back({now_.lines(), std::move(words)});
    }

    void add_order(std::vector<std::string>& words)
    {
        words.push_back("seed=" + std::to_string(random_.below(1'000'000)));
        if (random_.one_in(2)) words.push_back("parallelism=" + std::to_string(1 + random_.below(3)));
        if (random_.one_in(6)) words.push_back("type_limit=" + std::to_string(1 + random_.below(2)));
        if (random_.one_in(5)) words.emplace_back("first_failure");
        if (random_.one_in(4)) words.push_back("latency=" + std::to_string(10 + random_.below(90)));
    }

    void add_selection(std::vector<std::string>& words)
    {
        if (random_.one_in(8)) {
            words.push_back("target=" + now_.subject());
            if (random_.one_in(2)) words.push_back("target=" + now_.subject());
        } else if (words[0] == "apply" && random_.one_in(10)) words.push_back("exclude=" + now_.subject());
        if (words[0] == "apply" && random_.one_in(8)) {
            std::string const subject = now_.subject();
            if (subject.find("module.") == std::string::npos) words.push_back("replace=" + subject);
        }
    }

    void add_faults(std::vector<std::string>& words)
    {
        static std::vector<std::string> const rates{"80,40,20,40", "300,0,0,0", "0,150,0,100", "100,100,50,0"};
        // One random number in each statement, because the order of evaluation differs between compilers.
        if (!random_.one_in(4)) {
            std::string const& some = random_.pick(rates);
            words.push_back("rates=" + some + "@" + std::to_string(random_.below(1'000'000)));
        }
        switch (random_.below(10)) {
        case 0: words.push_back("stop=" + std::to_string(1 + random_.below(5))); break;
        case 1: words.push_back("kill=" + std::to_string(1 + random_.below(5))); break;
        case 2:
        case 3: words.push_back("crash=" + std::to_string(5 + random_.below(random_.one_in(2) ? 100 : 400))); break;
        case 4: words.push_back("commit=fails#" + std::to_string(1 + random_.below(6))); break;
        case 5: words.push_back("commit=throws#" + std::to_string(1 + random_.below(6))); break;
        case 6: add_violation(words); break;
        case 7:
        case 8: add_action_fault(words); break;
        default: break;
        }
    }

    void add_action_fault(std::vector<std::string>& words)
    {
        static std::vector<std::string> const faults{"fails=invoke:?", "fails=invoke:?,done", "throws=invoke:?,done"};
        std::string word = random_.pick(faults);
        std::string const action = now_.action();
        if (!action.empty()) words.push_back(word.replace(word.find('?'), 1, action));
    }

    // A provider breaks its contract.
    void add_violation(std::vector<std::string>& words)
    {
        static std::vector<std::string> const violations{"update:?:returns_nothing", "create:?:returns_unknown",
            "create:?:ignores_plan", "update:?:ignores_plan", "destroy:?:returns_object",
            "plan:?:ignores_configuration", "plan:?:is_inconsistent"};
        std::string word = random_.pick(violations);
        std::string const subject = now_.subject();
        if (subject.find("module.") != std::string::npos || subject.find('/') != std::string::npos) return;
        words.push_back("violates=" + word.replace(word.find('?'), 1, subject));
    }

    // An object that another program has created, and a declaration that imports it.
    void add_object_to_import(scenario& s)
    {
        auto const [name, id] = now_.add_import();
        std::string const kind = random_.one_in(2) ? "x" : "y";
        s.steps.push_back({now_.lines(),
            {"outside", "create=" + id + ",size," + std::to_string(random_.below(3)) + ",kind," + kind}});
    }

    void add_change_outside(scenario& s)
    {
        scenario_step step{now_.lines(), {"outside"}};
        std::size_t const changes = 1 + random_.below(2);
        for (std::size_t i = 0; i < changes; ++i) {
            std::string const subject = now_.subject();
            if (subject.find("module.") != std::string::npos || subject.find('/') != std::string::npos) continue;
            std::string const id = subject + "#" + std::to_string(1 + random_.below(2));
            std::string const attribute = random_.one_in(4) ? "kind" : "size";
            std::string const value = std::to_string(random_.below(5));
            if (random_.one_in(3)) step.words.push_back("destroy=" + id);
            else step.words.push_back("change=" + id + "," + attribute + "," + value);
        }
        if (step.words.size() > 1) s.steps.push_back(std::move(step));
    }

    random_generator random_;
    editable_program now_;
};

}  // namespace

auto make_lifecycle(std::uint64_t seed) -> scenario
{
    return author(seed).write();
}

}  // namespace strider::test
