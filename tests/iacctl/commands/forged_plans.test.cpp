// SPDX-License-Identifier: BSL-1.0
// Plan files that were changed by hand and have a valid checksum are refused with a diagnostic, or applied, but never
// cause a crash.
#include "base/characters.hpp"
#include "base/json.hpp"
#include "cli/commands/run.hpp"
#include "state/record/digest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using iacctl::compact_text;
using iacctl::json;
using iacctl::parse_json;
using testing::HasSubstr;

constexpr std::string_view first_configuration = R"(
variable "n" {
  type    = number
  default = 2
}
resource "terraform_data" "gone" {
  input = "g"
}
resource "terraform_data" "kept" {
  for_each = toset(["a", "b"])
  input    = each.key
}
resource "terraform_data" "new" {
  triggers_replace = 1
  lifecycle { create_before_destroy = true }
}
resource "null_resource" "also" {
  triggers = { a = terraform_data.new.id }
}
output "o" { value = var.n }
output "old" { value = "x" }
)";

constexpr std::string_view second_configuration = R"(
variable "n" {
  type      = number
  default   = 3
  sensitive = true
}
module "m" {
  source = "./m"
  count  = var.n - 1
  name   = "m${count.index}"
}
resource "terraform_data" "kept" {
  for_each = toset(["a", "b"])
  input    = "${each.key}!"
  lifecycle {
    precondition {
      condition     = length(each.key) == 1
      error_message = "one letter"
    }
  }
}
resource "terraform_data" "new" {
  triggers_replace = [2, null_resource.other.id]
  input            = { list = [1, "a", null], map = tomap({ k = true }), set = toset(["s"]) }
  lifecycle { create_before_destroy = true }
}
resource "null_resource" "also" {
  triggers = { a = terraform_data.new.id }
}
resource "null_resource" "other" {}
check "c" {
  assert {
    condition     = terraform_data.new.input.map.k
    error_message = "k"
  }
}
output "o" {
  value     = [var.n, module.m[*].out]
  sensitive = true
}
)";

constexpr std::string_view module_configuration = R"(
variable "name" {}
resource "random_string" "r" {
  length  = 4
  keepers = { name = var.name }
}
output "out" { value = random_string.r.id }
)";

struct outcome {
    int code = 0;
    std::string out;
    std::string err;
};

auto run(std::vector<std::string> arguments) -> outcome
{
    std::ostringstream out, err;
    int const code = iacctl::commands::run(std::move(arguments), out, err);
    return {code, out.str(), err.str()};
}

auto checksum(std::string const& body) -> std::string
{
    using namespace iacctl::state;
    return to_hex(field_hasher().start("plan").field(body).finish());
}

auto number_from(char const* variable, std::uint64_t otherwise) -> std::uint64_t
{
    char const* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class ForgedPlans : public testing::Test {
protected:
    void SetUp() override
    {
        std::string name = (fs::temp_directory_path() / "forged-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
        before_ = fs::current_path();
        fs::current_path(directory_);
        fs::create_directory("m");
        write("m/main.tf", module_configuration);
        write("main.tf", first_configuration);
        ASSERT_EQ(run({"apply", "-auto-approve", "-no-color"}).code, 0);
        write("main.tf", second_configuration);
        auto const planned = run({"plan", "-no-color", "-out=plan"});
        ASSERT_EQ(planned.code, 0) << planned.err;
        fs::copy(".iacctl", "state", fs::copy_options::recursive);
        std::ifstream in("plan", std::ios::binary);
        std::string const text{std::istreambuf_iterator<char>(in), {}};
        auto const end = text.find('\n');
        head_ = text.substr(0, text.rfind(' ', end) + 1);
        body_ = text.substr(end + 1);
    }
    void TearDown() override
    {
        fs::current_path(before_);
        fs::remove_all(directory_);
    }

    static void write(std::string const& name, std::string_view text)
    {
        std::ofstream(name, std::ios::binary | std::ios::trunc) << text;
    }
    void forge(std::string const& body) const { write("plan", head_ + checksum(body) + "\n" + body); }
    [[nodiscard]] auto plan() const -> json { return parse_json(body_).value(); }

    // Runs all commands that read plan files, with the state for which the plan was made.
    static auto read_it() -> std::vector<outcome>
    {
        fs::remove_all(".iacctl");
        fs::copy("state", ".iacctl", fs::copy_options::recursive);
        return {run({"show", "-no-color", "plan"}), run({"show", "-json", "plan"}),
            run({"graph", "-type=apply", "-plan=plan"}), run({"apply", "-no-color", "plan"})};
    }

private:
    fs::path directory_;
    fs::path before_;
    std::string head_;
    std::string body_;
};

auto number(std::string text) -> json
{
    return json(json::number{std::move(text)});
}

auto text(std::string content) -> json
{
    return json(std::move(content));
}

// The value at a path such as changes/0/action.
auto at_path(json& document, std::string_view path) -> json&
{
    json* found = &document;
    for (auto const part : std::views::split(path, '/')) {
        std::string const step(part.begin(), part.end());
        found = iacctl::is_digit(step.front()) ? &found->at(std::stoul(step)) : &found->at(step);
    }
    return *found;
}

// Collects all values in a document, without the document itself.
void collect(json& j, std::vector<json*>& all)
{
    auto const add = [&](json& inner) {
        all.push_back(&inner);
        collect(inner, all);
    };
    if (j.elements() != nullptr)
        for (json& element : j.as_elements()) add(element);
    if (j.members() != nullptr)
        for (json::member const& m : *j.members()) add(j.at(m.name));
}

class mutator {
public:
    explicit mutator(std::uint64_t seed) : chance_(seed) {}

    void change(json& document)
    {
        std::vector<json*> all;
        collect(document, all);
        json& one = *all[below(all.size())];
        json const other = *all[below(all.size())];
        switch (below(8)) {
        case 0: one = other; break;
        case 1: one = constants()[below(constants().size())]; break;
        case 2:
            if (auto const n = one.integer())
                one = number(std::to_string(*n + static_cast<std::int64_t>(below(9)) - 4));
            else if (one.boolean() != nullptr) one = json(!one.as_flag());
            else one = other;
            break;
        case 3:
            if (size_of_list(one) > 0) one.as_elements().push_back(json(one.at(below(size_of_list(one)))));
            break;
        case 4: erase_from(one); break;
        case 5:
            if (one.members() != nullptr) one.set(other.text() == nullptr ? "new" : *other.text(), other);
            break;
        case 6:
            if (one.text() != nullptr && !one.text()->empty()) {
                std::string changed = *one.text();
                changed[below(changed.size())] = static_cast<char>('!' + below(90));
                one = text(std::move(changed));
            }
            break;
        default:
            if (auto const size = size_of_list(one); size > 1) std::swap(one.at(below(size)), one.at(below(size)));
            break;
        }
    }

private:
    auto below(std::size_t end) -> std::size_t
    {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(chance_);
    }
    static auto size_of_list(json const& j) -> std::size_t
    {
        return j.elements() == nullptr ? 0 : j.elements()->size();
    }
    void erase_from(json& j)
    {
        auto const without_one = [&](auto all) {
            if (!all.empty()) all.erase(std::next(all.begin(), static_cast<std::ptrdiff_t>(below(all.size()))));
            return json(std::move(all));
        };
        if (j.elements() != nullptr) j = without_one(*j.elements());
        else if (j.members() != nullptr) j = without_one(*j.members());
    }
    static auto constants() -> std::vector<json> const&
    {
        static json const all =
            parse_json(R"([null, true, false, 0, 1, -1, 4294967295, 18446744073709551615, 0.5, 1e300, "",
            "terraform_data.kept", "module.m[0].random_string.r", "no_op", "destroy", "create", "creator", "join", [], {},
            {"null": "\"string\""}, {"string": "x"}, {"tuple": []}])")
                .value();
        return *all.elements();
    }

    std::mt19937_64 chance_;
};

TEST_F(ForgedPlans, AreAppliedIfNothingWasChanged)
{
    forge(compact_text(plan()));

    for (outcome const& one : read_it()) EXPECT_EQ(one.code, 0) << one.err;
}

TEST_F(ForgedPlans, AreRejectedForInvalidNumbersAndNames)
{
    auto const refused = [&](std::string_view path, json const& j) {
        json forged = plan();
        at_path(forged, path) = j;
        forge(compact_text(forged));
        for (outcome const& one : read_it()) {
            EXPECT_EQ(one.code, 1) << path << " " << compact_text(j) << "\n" << one.out;
            EXPECT_THAT(one.err, testing::AnyOf(HasSubstr("Failed to load"), HasSubstr("contradicts"))) << path;
        }
    };

    refused("changes/0/declaration", number("1000000"));
    refused("changes/0/declaration", number("-1"));
    refused("changes/0/declaration", number("0.5"));
    refused("changes/0/action", text("explode"));
    refused("changes/0/action", number("3"));
    refused("changes/0/reason", text("none of these"));
    refused("changes/0/address", text("terraform_data.new["));
    refused("changes/0/address", text("no_such_type.a"));
    refused("mode", text("sideways"));
    refused("graph/vertices/0/0", text("conductor"));
    refused("graph/vertices/0/2", number("4000000"));
    refused("graph/edges/0/0", number("4000000"));
    refused("graph/edges/0/2", text("whim"));
    refused("graph/edges/0/3", number("-1"));
    refused("graph/vertices/1", plan().at("graph").at("vertices").at(0));
    refused("outputs/0/declaration", number("0"));
    refused("serial", text("7"));
}

TEST_F(ForgedPlans, AreRejectedForValuesThatAreNestedTooDeeply)
{
    constexpr std::size_t depth = 50'000;
    auto const repeated = [](std::string_view text) {
        std::string all;
        for (std::size_t i = 0; i < depth; ++i) all += text;
        return all;
    };
    json forged = plan();
    forged.at("changes").at(0).set("after", text("HERE"));
    std::string const whole = compact_text(forged);
    auto const put = [&](std::string const& value) {
        std::string body = whole;
        forge(body.replace(body.find("\"HERE\""), 6, value));
    };

    put(repeated(R"({"tuple":[)") + repeated("]}"));
    for (outcome const& one : read_it()) EXPECT_EQ(one.code, 1);
    put(R"({"null":")" + repeated(R"([\"list\",)") + R"(\"string\")" + repeated("]") + "\"}");
    for (outcome const& one : read_it()) EXPECT_EQ(one.code, 1);
}

TEST_F(ForgedPlans, NeverCrashTheProgram)
{
    auto const runs = number_from("FORGED_PLANS", 50);
    auto const first = number_from("FORGED_PLANS_SEED", 1);
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(number_from("FORGED_PLANS_SECONDS", 20));
    std::size_t accepted = 0;

    for (std::uint64_t seed = first; seed < first + runs && std::chrono::steady_clock::now() < end; ++seed) {
        json forged = plan();
        mutator change(seed);
        for (std::uint64_t i = 0; i <= seed % 3; ++i) change.change(forged);
        forge(compact_text(forged));
        write("seed", std::to_string(seed));  // a crash leaves it and the plan in the directory

        for (outcome const& one : read_it()) {
            accepted += one.code == 0 ? 1 : 0;
            bool const is_reported = one.code == 0 || !one.err.empty();
            ASSERT_TRUE(is_reported && one.code >= 0 && one.code <= 7) << "seed " << seed << ", exit code " << one.code;
            ASSERT_EQ(one.err.find("Internal error"), std::string::npos) << "seed " << seed << one.err;
        }
    }

    EXPECT_GT(accepted, 0U);
}

}  // namespace
