// SPDX-License-Identifier: BSL-1.0

// A provider of version 6 of the plugin protocol, made with the library of HashiCorp: nested attributes of all kinds, a dynamic and a
// write-only attribute, private data, identity, upgrade, move and import of objects, a data source, functions, an ephemeral resource.
// All values follow from the configuration, so two programs that use it get the same ones.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	once "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	settings "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type framework struct{ labels map[string]string }

func (*framework) Metadata(_ context.Context, _ provider.MetadataRequest, to *provider.MetadataResponse) {
	to.TypeName = "framework"
}
func (*framework) Schema(_ context.Context, _ provider.SchemaRequest, to *provider.SchemaResponse) {
	to.Schema = settings.Schema{Attributes: map[string]settings.Attribute{"defaults": settings.SingleNestedAttribute{Optional: true,
		Attributes: map[string]settings.Attribute{"labels": settings.MapAttribute{ElementType: types.StringType, Optional: true}}}}}
}
func (p *framework) Configure(c context.Context, from provider.ConfigureRequest, to *provider.ConfigureResponse) {
	var labels types.Map
	to.Diagnostics.Append(from.Config.GetAttribute(c, path.Root("defaults").AtName("labels"), &labels)...)
	if !labels.IsNull() && !labels.IsUnknown() {
		to.Diagnostics.Append(labels.ElementsAs(c, &p.labels, false)...)
	}
	to.ResourceData, to.DataSourceData, to.EphemeralResourceData = p.labels, p.labels, p.labels
}
func (*framework) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &server{} }, func() resource.Resource { return &former{} }}
}
func (*framework) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return &names{} }}
}
func (*framework) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &token{} }}
}
func (*framework) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return &join{} }, func() function.Function { return &split{} }}
}

// Objects. What they are made of is found again in the configuration or in their id.

type disk struct {
	Name types.String `tfsdk:"name"`
	Size types.Int64  `tfsdk:"size"`
	Path types.String `tfsdk:"path"`
}
type network struct {
	Host types.String `tfsdk:"host"`
	Port types.Int64  `tfsdk:"port"`
}
type serverModel struct {
	ID       types.String       `tfsdk:"id"`
	Name     types.String       `tfsdk:"name"`
	Disks    []disk             `tfsdk:"disks"`
	Networks map[string]network `tfsdk:"networks"`
	Rules    types.Set          `tfsdk:"rules"`
	Main     types.Object       `tfsdk:"main"`
	Extra    types.Dynamic      `tfsdk:"extra"`
	Secret   types.String       `tfsdk:"secret"`
	Password types.String       `tfsdk:"password"`
	Labels   types.Map          `tfsdk:"labels"`
}

type server struct{ labels map[string]string }

func (*server) Metadata(_ context.Context, _ resource.MetadataRequest, to *resource.MetadataResponse) {
	to.TypeName = "framework_server"
}
func (*server) Schema(_ context.Context, _ resource.SchemaRequest, to *resource.SchemaResponse) {
	port := map[string]schema.Attribute{"host": schema.StringAttribute{Required: true},
		"port": schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(443)}}
	to.Schema = schema.Schema{Version: 1, Attributes: map[string]schema.Attribute{
		"id":   schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"name": schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"disks": schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true},
			"size": schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(8)},
			"path": schema.StringAttribute{Computed: true},
		}}},
		"networks": schema.MapNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: port}},
		"rules":    schema.SetNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: port}},
		"main": schema.SingleNestedAttribute{Optional: true, Computed: true, Attributes: map[string]schema.Attribute{
			"host": schema.StringAttribute{Optional: true, Computed: true}, "port": schema.Int64Attribute{Optional: true, Computed: true}}},
		"extra":    schema.DynamicAttribute{Optional: true},
		"secret":   schema.StringAttribute{Computed: true, Sensitive: true},
		"password": schema.StringAttribute{Optional: true, WriteOnly: true},
		"labels":   schema.MapAttribute{ElementType: types.StringType, Computed: true},
	}}
}
func (*server) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, to *resource.IdentitySchemaResponse) {
	to.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true}}}
}
func (s *server) Configure(_ context.Context, from resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	s.labels, _ = from.ProviderData.(map[string]string)
}

func (s *server) fill(c context.Context, of *serverModel) {
	of.ID = types.StringValue("server-" + of.Name.ValueString())
	of.Secret = types.StringValue(strings.ToUpper(of.Name.ValueString()))
	of.Password = types.StringNull()
	for i := range of.Disks {
		of.Disks[i].Path = types.StringValue(fmt.Sprintf("/dev/%s/%d", of.Disks[i].Name.ValueString(), of.Disks[i].Size.ValueInt64()))
	}
	parts := map[string]attr.Value{"host": types.StringValue(of.Name.ValueString()), "port": types.Int64Value(22)}
	for name, part := range of.Main.Attributes() {
		if !part.IsUnknown() {
			parts[name] = part
		}
	}
	of.Main = types.ObjectValueMust(map[string]attr.Type{"host": types.StringType, "port": types.Int64Type}, parts)
	if of.Labels.IsUnknown() || of.Labels.IsNull() {
		of.Labels, _ = types.MapValueFrom(c, types.StringType, s.labels)
	}
}
func (s *server) Create(c context.Context, from resource.CreateRequest, to *resource.CreateResponse) {
	var model, config serverModel
	to.Diagnostics.Append(from.Plan.Get(c, &model)...)
	to.Diagnostics.Append(from.Config.Get(c, &config)...)
	s.fill(c, &model)
	to.Diagnostics.Append(to.Private.SetKey(c, "password", fmt.Appendf(nil, `{"length":%d}`, len(config.Password.ValueString())))...)
	to.Diagnostics.Append(to.State.Set(c, &model)...)
	to.Diagnostics.Append(to.Identity.SetAttribute(c, path.Root("id"), model.ID)...)
	to.Diagnostics.AddWarning("Created", "The object "+model.ID.ValueString()+" exists in state only.")
}
func (s *server) Read(c context.Context, from resource.ReadRequest, to *resource.ReadResponse) {
	var id types.String
	to.Diagnostics.Append(from.State.GetAttribute(c, path.Root("id"), &id)...)
	to.Diagnostics.Append(to.State.SetAttribute(c, path.Root("name"), strings.TrimPrefix(id.ValueString(), "server-"))...)
	to.Diagnostics.Append(to.Identity.SetAttribute(c, path.Root("id"), id)...)
}
func (s *server) Update(c context.Context, from resource.UpdateRequest, to *resource.UpdateResponse) {
	var model serverModel
	to.Diagnostics.Append(from.Plan.Get(c, &model)...)
	s.fill(c, &model)
	to.Diagnostics.Append(to.State.Set(c, &model)...)
	to.Diagnostics.Append(to.Identity.SetAttribute(c, path.Root("id"), model.ID)...)
}
func (*server) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
func (*server) ImportState(c context.Context, from resource.ImportStateRequest, to *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(c, path.Root("id"), from, to)
}

// Version 0 differs by its number only.
func (s *server) UpgradeState(c context.Context) map[int64]resource.StateUpgrader {
	var now resource.SchemaResponse
	s.Schema(c, resource.SchemaRequest{}, &now)
	pass := func(_ context.Context, from resource.UpgradeStateRequest, to *resource.UpgradeStateResponse) {
		to.State.Raw = from.State.Raw
	}
	return map[int64]resource.StateUpgrader{0: {PriorSchema: &now.Schema, StateUpgrader: pass}}
}
func (s *server) MoveState(c context.Context) []resource.StateMover {
	var now resource.SchemaResponse
	s.Schema(c, resource.SchemaRequest{}, &now)
	return []resource.StateMover{{SourceSchema: &now.Schema,
		StateMover: func(c context.Context, from resource.MoveStateRequest, to *resource.MoveStateResponse) {
			var id types.String
			if from.SourceTypeName == "framework_former" && from.SourceState != nil {
				to.TargetState.Raw = from.SourceState.Raw
				to.Diagnostics.Append(to.TargetState.GetAttribute(c, path.Root("id"), &id)...)
				to.Diagnostics.Append(to.TargetIdentity.SetAttribute(c, path.Root("id"), id)...)
			}
		}}}
}

// The former name of the type.
type former struct{ server }

func (*former) Metadata(_ context.Context, _ resource.MetadataRequest, to *resource.MetadataResponse) {
	to.TypeName = "framework_former"
}

// Data that depend on the settings of the provider.
type names struct{ labels map[string]string }

type namesModel struct {
	Prefix types.String        `tfsdk:"prefix"`
	Found  []map[string]string `tfsdk:"found"`
}

func (*names) Metadata(_ context.Context, _ datasource.MetadataRequest, to *datasource.MetadataResponse) {
	to.TypeName = "framework_names"
}
func (*names) Schema(_ context.Context, _ datasource.SchemaRequest, to *datasource.SchemaResponse) {
	to.Schema = data.Schema{Attributes: map[string]data.Attribute{
		"prefix": data.StringAttribute{Optional: true},
		"found":  data.ListAttribute{Computed: true, ElementType: types.MapType{ElemType: types.StringType}},
	}}
}
func (n *names) Configure(_ context.Context, from datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	n.labels, _ = from.ProviderData.(map[string]string)
}
func (n *names) Read(c context.Context, from datasource.ReadRequest, to *datasource.ReadResponse) {
	var model namesModel
	to.Diagnostics.Append(from.Config.Get(c, &model)...)
	model.Found = []map[string]string{n.labels, {"name": model.Prefix.ValueString() + "a"}}
	to.Diagnostics.Append(to.State.Set(c, &model)...)
}

// A value that is in neither plan nor state.
type token struct{}

type tokenModel struct {
	Name  types.String `tfsdk:"name"`
	Value types.String `tfsdk:"value"`
}

func (*token) Metadata(_ context.Context, _ ephemeral.MetadataRequest, to *ephemeral.MetadataResponse) {
	to.TypeName = "framework_token"
}
func (*token) Schema(_ context.Context, _ ephemeral.SchemaRequest, to *ephemeral.SchemaResponse) {
	to.Schema = once.Schema{Attributes: map[string]once.Attribute{
		"name": once.StringAttribute{Required: true}, "value": once.StringAttribute{Computed: true, Sensitive: true}}}
}
func (*token) Open(c context.Context, from ephemeral.OpenRequest, to *ephemeral.OpenResponse) {
	var model tokenModel
	to.Diagnostics.Append(from.Config.Get(c, &model)...)
	model.Value = types.StringValue("token of " + model.Name.ValueString())
	to.Diagnostics.Append(to.Result.Set(c, &model)...)
	to.Diagnostics.Append(to.Private.SetKey(c, "name", fmt.Appendf(nil, "%q", model.Name.ValueString()))...)
	to.RenewAt = time.Now().Add(time.Hour)
}
func (*token) Renew(_ context.Context, _ ephemeral.RenewRequest, to *ephemeral.RenewResponse) {
	to.RenewAt = time.Now().Add(time.Hour)
}
func (*token) Close(c context.Context, from ephemeral.CloseRequest, to *ephemeral.CloseResponse) {
	_, problems := from.Private.GetKey(c, "name")
	to.Diagnostics.Append(problems...)
}

// join(separator, text...), which refuses an empty separator.
type join struct{}

func (*join) Metadata(_ context.Context, _ function.MetadataRequest, to *function.MetadataResponse) {
	to.Name = "join"
}
func (*join) Definition(_ context.Context, _ function.DefinitionRequest, to *function.DefinitionResponse) {
	to.Definition = function.Definition{Summary: "Joins texts.", Parameters: []function.Parameter{function.StringParameter{Name: "separator"}},
		VariadicParameter: function.StringParameter{Name: "texts"}, Return: function.StringReturn{}}
}
func (*join) Run(c context.Context, from function.RunRequest, to *function.RunResponse) {
	var separator string
	var texts []string
	if to.Error = from.Arguments.Get(c, &separator, &texts); to.Error != nil {
		return
	}
	if separator == "" {
		to.Error = function.NewArgumentFuncError(0, "the separator is empty")
		return
	}
	to.Error = to.Result.Set(c, strings.Join(texts, separator))
}

// split(text) is an object; of null it is null.
type split struct{}

func (*split) Metadata(_ context.Context, _ function.MetadataRequest, to *function.MetadataResponse) {
	to.Name = "split"
}
func (*split) Definition(_ context.Context, _ function.DefinitionRequest, to *function.DefinitionResponse) {
	to.Definition = function.Definition{Summary: "Splits a text at its first colon.",
		Parameters: []function.Parameter{function.StringParameter{Name: "text", AllowNullValue: true}},
		Return:     function.ObjectReturn{AttributeTypes: map[string]attr.Type{"first": types.StringType, "rest": types.StringType}}}
}
func (*split) Run(c context.Context, from function.RunRequest, to *function.RunResponse) {
	var text *string
	type parts struct {
		First string `tfsdk:"first"`
		Rest  string `tfsdk:"rest"`
	}
	var made *parts
	if to.Error = from.Arguments.Get(c, &text); to.Error != nil {
		return
	}
	if text != nil {
		first, rest, _ := strings.Cut(*text, ":")
		made = &parts{first, rest}
	}
	to.Error = to.Result.Set(c, made)
}

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return &framework{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/example/framework", ProtocolVersion: 6})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
