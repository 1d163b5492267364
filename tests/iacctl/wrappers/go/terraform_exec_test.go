// SPDX-License-Identifier: BSL-1.0

// Package wrappers calls the program TERRAFORM by libraries that were written for Terraform.
package wrappers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-exec/tfexec"
	tfjson "github.com/hashicorp/terraform-json"
)

var background = context.Background()

const configuration = `
variable "size" {
  type    = number
  default = 2
}

resource "terraform_data" "first" {
  input = { size = var.size, names = ["a", "b"] }
}

resource "terraform_data" "second" {
  count            = var.size
  triggers_replace = [terraform_data.first.id]
}

output "size" {
  value = var.size
}

output "secret" {
  value     = "hidden"
  sensitive = true
}
`

// Calls of the program in a new directory with these files, as pairs of name and text.
func terraformIn(t *testing.T, files ...string) *tfexec.Terraform {
	t.Helper()
	directory := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		write(t, filepath.Join(directory, files[i]), files[i+1])
	}
	terraform, err := tfexec.NewTerraform(directory, os.Getenv("TERRAFORM"))
	must(t, err)
	return terraform
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func value[T any](result T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return result
	}
}

func addresses(module *tfjson.StateModule) []string {
	var found []string
	for _, resource := range module.Resources {
		found = append(found, resource.Address)
	}
	slices.Sort(found)
	return found
}

func expectObjects(t *testing.T, terraform *tfexec.Terraform, expected ...string) {
	t.Helper()
	state := value(terraform.Show(background))(t)
	var found []string
	if state.Values != nil {
		found = addresses(state.Values.RootModule)
	}
	if !slices.Equal(found, expected) {
		t.Fatalf("objects: %v, expected: %v", found, expected)
	}
}

func TestVersionIsRead(t *testing.T) {
	terraform := terraformIn(t)
	version, _, err := terraform.Version(background, true)
	must(t, err)
	if version.Segments()[0] != 1 || version.Segments()[1] < 11 {
		t.Fatalf("version: %s", version)
	}
}

func TestPlanIsShownAndApplied(t *testing.T) {
	terraform := terraformIn(t, "main.tf", configuration)
	must(t, terraform.Init(background, tfexec.Upgrade(true), tfexec.Reconfigure(true), tfexec.Get(true)))
	if changed := value(terraform.Plan(background, tfexec.Out("planned"), tfexec.Var("size=1"), tfexec.Parallelism(2)))(t); !changed {
		t.Fatal("the plan has no changes")
	}

	plan := value(terraform.ShowPlanFile(background, "planned"))(t)
	must(t, plan.Validate())
	if len(plan.ResourceChanges) != 2 || !plan.ResourceChanges[0].Change.Actions.Create() || len(plan.OutputChanges) != 2 {
		t.Fatalf("changes: %+v", plan.ResourceChanges)
	}
	if plan.Variables["size"] == nil || len(plan.Config.RootModule.Resources) != 2 || plan.PlannedValues.Outputs["size"] == nil {
		t.Fatalf("plan: %+v", plan)
	}
	if text := value(terraform.ShowPlanFileRaw(background, "planned"))(t); !strings.Contains(text, "Plan: 2 to add, 0 to change, 0 to destroy.") {
		t.Fatal(text)
	}

	must(t, terraform.Apply(background, tfexec.DirOrPlan("planned")))
	expectObjects(t, terraform, "terraform_data.first", "terraform_data.second[0]")
	outputs := value(terraform.Output(background))(t)
	if string(outputs["size"].Value) != "1" || string(outputs["size"].Type) != `"number"` || !outputs["secret"].Sensitive {
		t.Fatalf("outputs: %v", outputs)
	}
	if changed := value(terraform.Plan(background, tfexec.Var("size=1"), tfexec.Refresh(true)))(t); changed {
		t.Fatal("the second plan has changes")
	}

	must(t, terraform.Apply(background, tfexec.Var("size=2"), tfexec.Replace("terraform_data.first"), tfexec.Lock(true), tfexec.LockTimeout("3s")))
	must(t, terraform.Refresh(background, tfexec.Var("size=2")))
	must(t, terraform.Apply(background, tfexec.RefreshOnly(true)))
	must(t, terraform.Destroy(background, tfexec.Target("terraform_data.second[1]")))
	expectObjects(t, terraform, "terraform_data.first", "terraform_data.second[0]")
	must(t, terraform.Destroy(background))
	expectObjects(t, terraform)
}

func TestStateIsChanged(t *testing.T) {
	terraform := terraformIn(t, "main.tf", configuration)
	must(t, terraform.Init(background))
	must(t, terraform.Apply(background))
	must(t, terraform.StateMv(background, "terraform_data.second[1]", "terraform_data.second[7]"))
	must(t, terraform.StateRm(background, "terraform_data.second[0]"))
	expectObjects(t, terraform, "terraform_data.first", "terraform_data.second[7]")

	must(t, terraform.Taint(background, "terraform_data.first"))
	state := value(terraform.Show(background))(t)
	if !state.Values.RootModule.Resources[0].Tainted {
		t.Fatal("the object is not tainted")
	}
	must(t, terraform.Untaint(background, "terraform_data.first"))
	must(t, terraform.Import(background, "terraform_data.second[0]", "some-id", tfexec.Config(terraform.WorkingDir())))
	expectObjects(t, terraform, "terraform_data.first", "terraform_data.second[0]", "terraform_data.second[7]")

	text := value(terraform.StatePull(background))(t)
	must(t, terraform.StateRm(background, "terraform_data.first"))
	write(t, filepath.Join(terraform.WorkingDir(), "pulled.json"), text)
	must(t, terraform.StatePush(background, "pulled.json", tfexec.Force(true)))
	expectObjects(t, terraform, "terraform_data.first", "terraform_data.second[0]", "terraform_data.second[7]")
	shown := value(terraform.ShowStateFile(background, "pulled.json"))(t)
	if len(shown.Values.RootModule.Resources) != 3 {
		t.Fatalf("objects in the file: %v", addresses(shown.Values.RootModule))
	}
}

func TestWorkspacesAreSelected(t *testing.T) {
	terraform := terraformIn(t, "main.tf", configuration)
	must(t, terraform.Init(background))
	must(t, terraform.WorkspaceNew(background, "other"))
	names, current, err := terraform.WorkspaceList(background)
	must(t, err)
	if !slices.Equal(names, []string{"default", "other"}) || current != "other" {
		t.Fatalf("workspaces: %v, current: %s", names, current)
	}
	must(t, terraform.WorkspaceSelect(background, "default"))
	if name := value(terraform.WorkspaceShow(background))(t); name != "default" {
		t.Fatal(name)
	}
	must(t, terraform.WorkspaceDelete(background, "other"))
	if names, _, err = terraform.WorkspaceList(background); err != nil || len(names) != 1 {
		t.Fatalf("workspaces: %v, %v", names, err)
	}
	listed, err := terraform.WorkspaceListJSON(background)
	if mismatch := (*tfexec.ErrVersionMismatch)(nil); errors.As(err, &mismatch) {
		return
	}
	must(t, err)
	if len(listed.Workspaces) != 1 || listed.Workspaces[0].Name != "default" || !listed.Workspaces[0].IsCurrent {
		t.Fatalf("workspaces: %+v", listed.Workspaces)
	}
}

func TestConfigurationIsFormattedAndValidated(t *testing.T) {
	terraform := terraformIn(t, "main.tf", "locals {\na=1\n}\n", "child/child.tf", "output \"x\" {\n  value = 1\n}\n",
		"use.tf", "module \"child\" {\n  source = \"./child\"\n}\n")
	if text := value(terraform.FormatString(background, "a   =1\n"))(t); text != "a = 1\n" {
		t.Fatal(text)
	}
	good, names, err := terraform.FormatCheck(background, tfexec.Recursive(true))
	must(t, err)
	if good || !slices.Equal(names, []string{"main.tf"}) {
		t.Fatalf("files: %v", names)
	}
	must(t, terraform.FormatWrite(background))
	must(t, terraform.Get(background, tfexec.Update(true)))
	must(t, terraform.Init(background, tfexec.Backend(false)))
	if result := value(terraform.Validate(background))(t); !result.Valid || result.ErrorCount != 0 {
		t.Fatalf("result: %+v", result)
	}
	if text := value(terraform.Graph(background))(t); !strings.HasPrefix(text, "digraph") {
		t.Fatal(text)
	}

	write(t, filepath.Join(terraform.WorkingDir(), "main.tf"), "output \"y\" {\n  value = var.absent\n}\n")
	result := value(terraform.Validate(background))(t)
	if result.Valid || result.ErrorCount != 1 || len(result.Diagnostics) != 1 {
		t.Fatalf("result: %+v", result)
	}
	found := result.Diagnostics[0]
	if found.Severity != tfjson.DiagnosticSeverityError || found.Summary == "" || found.Range.Filename != "main.tf" || found.Range.Start.Line != 2 ||
		!strings.Contains(found.Snippet.Code, "var.absent") {
		t.Fatalf("diagnostic: %+v", found)
	}
}

func TestSchemasAndFunctionsAreDescribed(t *testing.T) {
	terraform := terraformIn(t, "main.tf", configuration)
	must(t, terraform.Init(background))
	schemas := value(terraform.ProvidersSchema(background))(t)
	must(t, schemas.Validate())
	if schemas.Schemas["terraform.io/builtin/terraform"].ResourceSchemas["terraform_data"].Block.Attributes["input"] == nil {
		t.Fatalf("schemas: %+v", schemas.Schemas)
	}
	functions := value(terraform.MetadataFunctions(background))(t)
	must(t, functions.Validate())
	if len(functions.Signatures["replace"].Parameters) != 3 || functions.Signatures["max"].VariadicParameter == nil {
		t.Fatalf("functions: %+v", functions.Signatures)
	}
}

// A line of a command with -json.
type message struct {
	Level   string `json:"@level"`
	Message string `json:"@message"`
	Module  string `json:"@module"`
	Time    string `json:"@timestamp"`
	Type    string
	Changes *struct{ Add, Change, Import, Remove int }
	Outputs map[string]struct{ Sensitive bool }
	Hook    *struct {
		Action   string
		Resource struct{ Addr string }
	}
}

func messagesOf(t *testing.T, text string) []message {
	t.Helper()
	var found []message
	for line := range strings.Lines(text) {
		var one message
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if _, err := time.Parse(time.RFC3339, one.Time); err != nil || one.Level == "" || one.Message == "" || one.Module == "" || one.Type == "" {
			t.Fatalf("line: %s", line)
		}
		found = append(found, one)
	}
	return found
}

func expectType(t *testing.T, messages []message, kind string) message {
	t.Helper()
	at := slices.IndexFunc(messages, func(one message) bool { return one.Type == kind })
	if at < 0 {
		t.Fatalf("no message of type %s in %+v", kind, messages)
	}
	return messages[at]
}

func TestCommandsReportTheirProgressAsJSON(t *testing.T) {
	terraform := terraformIn(t, "main.tf", configuration)
	var text bytes.Buffer
	taken := func() []message {
		defer text.Reset()
		return messagesOf(t, text.String())
	}

	must(t, terraform.InitJSON(background, &text))
	if messages := taken(); len(messages) == 0 || messages[0].Type != "version" {
		t.Fatalf("messages: %+v", messages)
	}
	if changed := value(terraform.PlanJSON(background, &text))(t); !changed {
		t.Fatal("the plan has no changes")
	}
	if counts := expectType(t, taken(), "change_summary").Changes; counts == nil || counts.Add != 3 {
		t.Fatalf("changes: %+v", counts)
	}
	must(t, terraform.ApplyJSON(background, &text))
	messages := taken()
	if hook := expectType(t, messages, "apply_complete").Hook; hook.Action != "create" || hook.Resource.Addr != "terraform_data.first" {
		t.Fatalf("hook: %+v", hook)
	}
	if outputs := expectType(t, messages[len(messages)-1:], "outputs").Outputs; !outputs["secret"].Sensitive {
		t.Fatalf("outputs: %+v", outputs)
	}
	must(t, terraform.RefreshJSON(background, &text))
	expectType(t, taken(), "refresh_complete")
	must(t, terraform.DestroyJSON(background, &text))
	messages = slices.DeleteFunc(taken(), func(one message) bool { return one.Type != "change_summary" })
	if counts := messages[len(messages)-1].Changes; counts == nil || counts.Remove != 3 {
		t.Fatalf("changes: %+v", counts)
	}
}

func TestTestsAreRun(t *testing.T) {
	run := "run \"two\" {\n  assert {\n    condition     = output.size == %\n    error_message = \"size\"\n  }\n}\n"
	terraform := terraformIn(t, "main.tf", configuration, "tests/good.tftest.hcl", strings.ReplaceAll(run, "%", "2"))
	must(t, terraform.Init(background))
	var text bytes.Buffer
	must(t, terraform.Test(background, &text))
	expectType(t, messagesOf(t, text.String()), "test_summary")

	write(t, filepath.Join(terraform.WorkingDir(), "tests/bad.tftest.hcl"), strings.ReplaceAll(run, "%", "3"))
	if exit := (*exec.ExitError)(nil); !errors.As(terraform.Test(background, &text), &exit) || exit.ExitCode() != 1 {
		t.Fatalf("exit code: %v", exit)
	}
}

func TestLockOfAnotherProcessIsReported(t *testing.T) {
	slow := "resource \"terraform_data\" \"slow\" {\n  provisioner \"local-exec\" {\n    command = \"touch begun; while [ ! -e enough ]; do sleep 0.05; done\"\n  }\n}\n"
	terraform := terraformIn(t, "main.tf", slow)
	must(t, terraform.Init(background))
	applied := make(chan error)
	go func() { applied <- terraform.Apply(background) }()
	for {
		if _, err := os.Stat(filepath.Join(terraform.WorkingDir(), "begun")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	err := terraform.Apply(background, tfexec.LockTimeout("0s"))
	if err == nil || !strings.Contains(err.Error(), "state lock") {
		t.Errorf("error: %v", err)
	}
	write(t, filepath.Join(terraform.WorkingDir(), "enough"), "")
	must(t, <-applied)
	if err = terraform.ForceUnlock(background, "no-such-lock"); err == nil {
		t.Error("a lock that does not exist was released")
	}
}

func TestCancelledApplyLeavesAStateThatCanBeUsed(t *testing.T) {
	terraform := terraformIn(t, "main.tf", "resource \"terraform_data\" \"slow\" {\n  provisioner \"local-exec\" {\n    command = \"touch begun; exec sleep 60\"\n  }\n}\n")
	must(t, terraform.SetWaitDelay(20*time.Second))
	must(t, terraform.Init(background))
	cancelled, cancel := context.WithCancel(background)
	applied := make(chan error)
	go func() { applied <- terraform.Apply(cancelled) }()
	for {
		if _, err := os.Stat(filepath.Join(terraform.WorkingDir(), "begun")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-applied; !errors.Is(err, context.Canceled) {
		t.Fatalf("error: %v", err)
	}
	state := value(terraform.Show(background))(t)
	if state.Values == nil || !state.Values.RootModule.Resources[0].Tainted {
		t.Fatalf("state: %+v", state.Values)
	}
	must(t, terraform.Destroy(background))
}
