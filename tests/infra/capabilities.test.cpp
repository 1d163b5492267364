// SPDX-License-Identifier: BSL-1.0
// Optional capabilities of programs and providers that the texts of toy programs cannot express.
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using infra::address;
using infra::sim::toy_declaration;
using testing::ElementsAre;
using testing::IsEmpty;

class Capabilities : public engine_in_worlds {
protected:
    // The codes of a refused plan, with the places of the diagnostics.
    auto refused(toy_program const& program) -> std::vector<std::string>
    {
        auto made = this->where().plan(program, {}, this->cloud, this->kept, this->how);
        std::vector<std::string> all;
        if (made && !*made)
            for (auto const& d : made->error().why()) all.push_back(d.code + " " + d.source.file + " " + d.address);
        return all;
    }
    auto run(toy_program const& program) -> toy_applied
    {
        auto made = this->where().plan(program, {}, this->cloud, this->kept, this->how);
        EXPECT_TRUE(made && *made);
        this->how.run = "run " + std::to_string(++runs);
        return this->where().apply(program, **made, this->cloud, this->kept, this->how).value();
    }
    [[nodiscard]] static auto data(std::string id) -> toy_declaration
    {
        toy_declaration d;
        d.name = "data.toy.d";
        d.target = address({}, infra::resource_mode::data, "toy", "d", {});
        d.attributes.emplace("id", std::move(id));
        return d;
    }
    int runs = 0;
};
INSTANTIATE_TEST_SUITE_P(In, Capabilities, worlds, name_of_world);

TEST_P(Capabilities, AForgottenObjectIsRemovedFromStateAndStays)
{
    this->given("a size=1");
    toy_program none;
    none.forget(address("toy", "a"));

    auto const done = this->run(none);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_EQ(this->cloud.resources().size(), 1U);
    EXPECT_THAT(this->order(), IsEmpty());
}

TEST_P(Capabilities, AMissingProviderIsAnErrorOfThePlan)
{
    toy_program program = toy("a size=1");
    program.remove_provider("sim");

    EXPECT_THAT(this->refused(program), ElementsAre("sim_missing_provider  toy.a"));
}

TEST_P(Capabilities, DataAreReadIntoState)
{
    this->given("a size=1");
    std::string const id = this->cloud.resources().begin()->first;
    toy_program program = toy("a size=1");
    program.add(this->data(id));

    EXPECT_TRUE(this->run(program).ok);

    auto const* const record = this->kept.now().find(address({}, infra::resource_mode::data, "toy", "d", {}));
    ASSERT_NE(record, nullptr);
    EXPECT_EQ((*infra::sim::from_document(record->current->attributes))["size"], "1");
}

TEST_P(Capabilities, DiagnosticsOfProvidersHaveThePlaceOfTheDeclaration)
{
    toy_program program;
    program.add(this->data("nothing"));

    EXPECT_THAT(this->refused(program), ElementsAre("sim_data_missing toy data.toy.d"));
}

}  // namespace
