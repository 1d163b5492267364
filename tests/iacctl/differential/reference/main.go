// SPDX-License-Identifier: BSL-1.0
// Answers what probe.cpp answers, with HashiCorp's parser: one request a line, one answer a line.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

func main() {
	context := &hcl.EvalContext{
		Variables: map[string]cty.Value{
			"n": cty.NumberIntVal(7),
			"s": cty.StringVal("text"),
			"b": cty.True,
			"t": cty.TupleVal([]cty.Value{cty.NumberIntVal(1), cty.StringVal("two"), cty.False}),
			"l": cty.ListVal([]cty.Value{cty.StringVal("x"), cty.StringVal("y")}),
			"o": cty.ObjectVal(map[string]cty.Value{"a": cty.NumberIntVal(1), "k": cty.StringVal("v")}),
			"m": cty.MapVal(map[string]cty.Value{"one": cty.NumberIntVal(1), "two": cty.NumberIntVal(2)}),
		},
		Functions: map[string]function.Function{"upper": stdlib.UpperFunc, "concat": stdlib.ConcatFunc},
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<24), 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		line := in.Text()
		text, _ := base64.StdEncoding.DecodeString(line[1:])
		fmt.Fprintln(out, answer(line[0], text, context))
	}
}

func verdict(diags hcl.Diagnostics) string {
	if diags.HasErrors() {
		return "reject"
	}
	return "accept"
}

func answer(kind byte, text []byte, context *hcl.EvalContext) (result string) {
	defer func() {
		if recover() != nil {
			result = "panic"
		}
	}()
	switch kind {
	case 'P':
		_, diags := hclsyntax.ParseConfig(text, "x", hcl.InitialPos)
		return verdict(diags)
	case 'J':
		_, diags := hcljson.Parse(text, "x")
		return verdict(diags)
	case 'F':
		return base64.StdEncoding.EncodeToString(hclwrite.Format(text))
	case 'E':
		expression, diags := hclsyntax.ParseExpression(text, "x", hcl.InitialPos)
		if diags.HasErrors() {
			return "reject"
		}
		value, diags := expression.Value(context)
		if diags.HasErrors() {
			return "error"
		}
		of, err := ctyjson.MarshalType(value.Type())
		if err != nil {
			return "error"
		}
		made, err := ctyjson.Marshal(value, value.Type())
		if err != nil {
			return "error"
		}
		return string(of) + " " + string(made)
	}
	return "?"
}
