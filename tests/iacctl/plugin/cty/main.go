// SPDX-License-Identifier: BSL-1.0

// Reads and writes values by the library that providers use. Each line of the input is a type in JSON and a value in
// hexadecimal MessagePack, with a tab between. Each line of the output is the value in MessagePack again and in JSON, which is
// empty for a value that is not wholly known.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

func again(line string) (string, error) {
	typeText, text, _ := strings.Cut(line, "\t")
	var of cty.Type
	if err := of.UnmarshalJSON([]byte(typeText)); err != nil {
		return "", err
	}
	bytes, err := hex.DecodeString(text)
	if err != nil {
		return "", err
	}
	value, err := msgpack.Unmarshal(bytes, of)
	if err != nil {
		return "", err
	}
	packed, err := msgpack.Marshal(value, of)
	if err != nil {
		return "", err
	}
	var written []byte
	if value.IsWhollyKnown() {
		if written, err = json.Marshal(value, of); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(packed) + "\t" + string(written), nil
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		answer, err := again(in.Text())
		if err != nil {
			answer = "error: " + err.Error()
		}
		fmt.Fprintln(out, answer)
	}
}
