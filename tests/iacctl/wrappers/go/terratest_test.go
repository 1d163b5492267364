// SPDX-License-Identifier: BSL-1.0
package wrappers

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gruntwork-io/terratest/modules/logger"
	"github.com/gruntwork-io/terratest/modules/terraform"
)

const module = `
variable "names" {
  type    = list(string)
  default = ["a", "b"]
}

variable "limits" {
  type = object({ low = number, high = optional(number) })
}

resource "terraform_data" "named" {
  for_each = toset(var.names)
  input    = { name = each.key, high = var.limits.high }
}

module "child" {
  source = "./child"
}

output "names" {
  value = var.names
}

output "tags" {
  value = { owner = "ann", "cost center" = "7" }
}

output "objects" {
  value = [{ name = "x", on = true, size = 1.5 }, { name = "y", on = false, size = 2 }]
}

output "greeting" {
  value = "hello \"you\""
}
`

// Options for the program TERRAFORM and a new directory with the module.
func optionsFor(t *testing.T) *terraform.Options {
	t.Helper()
	directory := t.TempDir()
	write(t, filepath.Join(directory, "main.tf"), module)
	write(t, filepath.Join(directory, "child/main.tf"), "resource \"terraform_data\" \"inner\" {\n  input = \"inner\"\n}\n")
	return terraform.WithDefaultRetryableErrors(t, &terraform.Options{
		TerraformBinary: os.Getenv("TERRAFORM"),
		TerraformDir:    directory,
		Vars:            map[string]any{"limits": map[string]any{"low": 1, "high": nil}},
		NoColor:         true,
		Logger:          logger.Discard,
	})
}

func expectEqual(t *testing.T, found, expected any) {
	t.Helper()
	if !reflect.DeepEqual(found, expected) {
		t.Errorf("%#v, expected: %#v", found, expected)
	}
}

func counts(t *testing.T, text string) terraform.ResourceCount {
	t.Helper()
	return *terraform.GetResourceCount(t, text)
}

func TestTerratestAppliesAndReadsOutputs(t *testing.T) {
	options := optionsFor(t)
	expectEqual(t, counts(t, terraform.InitAndApply(t, options)), terraform.ResourceCount{Add: 3})

	expectEqual(t, terraform.Output(t, options, "greeting"), `hello "you"`)
	expectEqual(t, terraform.OutputList(t, options, "names"), []string{"a", "b"})
	expectEqual(t, terraform.OutputMap(t, options, "tags"), map[string]string{"owner": "ann", "cost center": "7"})
	objects := terraform.OutputListOfObjects(t, options, "objects")
	expectEqual(t, objects[0], map[string]any{"name": "x", "on": true, "size": 1.5})
	var read []struct {
		Name string
		Size float64
	}
	terraform.OutputStruct(t, options, "objects", &read)
	expectEqual(t, read[1].Size, 2.0)
	expectEqual(t, len(terraform.OutputAll(t, options)), 4)
	if _, err := terraform.OutputRequiredE(t, options, "absent"); err == nil {
		t.Error("an output that does not exist was read")
	}

	expectEqual(t, terraform.PlanExitCode(t, options), terraform.DefaultSuccessExitCode)
	expectEqual(t, counts(t, terraform.Destroy(t, options)), terraform.ResourceCount{Destroy: 3})
}

func TestTerratestShowsAPlan(t *testing.T) {
	options := optionsFor(t)
	options.PlanFilePath = filepath.Join(t.TempDir(), "planned")
	plan := terraform.InitAndPlanAndShowWithStruct(t, options)
	terraform.RequirePlannedValuesMapKeyExists(t, plan, `terraform_data.named["a"]`)
	terraform.RequireResourceChangesMapKeyExists(t, plan, "module.child.terraform_data.inner")
	expectEqual(t, plan.ResourcePlannedValuesMap["module.child.terraform_data.inner"].AttributeValues["input"], any("inner"))
	expectEqual(t, len(plan.ResourceChangesMap), 3)
	expectEqual(t, counts(t, terraform.Apply(t, options)), terraform.ResourceCount{Add: 3})

	options.PlanFilePath = ""
	write(t, filepath.Join(options.TerraformDir, "more.tf"), "output \"more\" {\n  value = 1\n}\n")
	expectEqual(t, terraform.PlanExitCode(t, options), terraform.TerraformPlanChangesPresentExitCode)
	expectEqual(t, counts(t, terraform.Plan(t, options)), terraform.ResourceCount{})
}

func TestTerratestAppliesTwice(t *testing.T) {
	options := optionsFor(t)
	terraform.InitAndApplyAndIdempotent(t, options)
	write(t, filepath.Join(options.TerraformDir, "more.tf"), "resource \"terraform_data\" \"each\" {\n  input = timestamp()\n}\n")
	if _, err := terraform.ApplyAndIdempotentE(t, options); err == nil || !strings.Contains(err.Error(), "idempotent") {
		t.Errorf("error: %v", err)
	}
}

func TestTerratestSelectsWorkspacesAndValidates(t *testing.T) {
	options := optionsFor(t)
	terraform.Init(t, options)
	terraform.Validate(t, &terraform.Options{TerraformBinary: options.TerraformBinary, TerraformDir: options.TerraformDir, Logger: logger.Discard})
	for _, name := range []string{"one", "two", "one"} {
		expectEqual(t, terraform.WorkspaceSelectOrNew(t, options, name), name)
	}
	expectEqual(t, terraform.WorkspaceDelete(t, options, "one"), "default")
	options.WarningsAsErrors = map[string]string{".*lazy.*": "lazy"}
	options.Vars["limits"] = "wrong"
	if _, err := terraform.PlanE(t, options); err == nil || !strings.Contains(err.Error(), "Error: ") {
		t.Errorf("error: %v", err)
	}
}
