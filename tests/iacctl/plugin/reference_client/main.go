// SPDX-License-Identifier: BSL-1.0

// Makes the calls of iacctl by the libraries that terraform uses for them: reference_client PROGRAM TYPE COUNT AT_ONCE. It plans COUNT
// objects, then creates them, then creates one more again and again. Prints times in milliseconds and processor seconds as JSON.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
)

type client struct{ plugin.NetRPCUnsupportedPlugin }

func (client) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this is a client")
}
func (client) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return c, nil
}

// Messages are bytes: the packages of the generated ones are internal to other modules.
type unchanged struct{}

func (unchanged) Name() string                   { return "proto" }
func (unchanged) Marshal(of any) ([]byte, error) { return of.([]byte), nil }
func (unchanged) Unmarshal(data []byte, to any) error {
	*to.(*[]byte) = bytes.Clone(data)
	return nil
}

func message(fields ...[]byte) (made []byte) {
	for i, field := range fields {
		made = protowire.AppendBytes(protowire.AppendTag(made, protowire.Number(i+1), protowire.BytesType), field)
	}
	return made
}

// field returns the content of the field with that number, which is bytes.
func field(of []byte, number protowire.Number) (found []byte) {
	for len(of) > 0 {
		at, kind, size := protowire.ConsumeTag(of)
		length := protowire.ConsumeFieldValue(at, kind, of[size:])
		if at == number {
			found, _ = protowire.ConsumeBytes(of[size:])
		}
		of = of[size+length:]
	}
	return found
}

// object returns an object of MessagePack in a message DynamicValue.
func object(namesAndValues ...string) []byte {
	made := []byte{byte(0x80 + len(namesAndValues)/2)}
	for i := 0; i < len(namesAndValues); i += 2 {
		name := namesAndValues[i]
		made = append(append(append(made, byte(0xa0+len(name))), name...), namesAndValues[i+1]...)
	}
	return message(made)
}

const null, unknown, eight = "\xc0", "\xd4\x00\x00", "\x08"

var configurations = map[string][]byte{
	"null_resource": object("id", null, "triggers", null),
	"random_id": object("b64_std", null, "b64_url", null, "byte_length", eight, "dec", null, "hex", null, "id", null,
		"keepers", null, "prefix", null),
}
var proposals = map[string][]byte{
	"null_resource": object("id", unknown, "triggers", null),
	"random_id": object("b64_std", unknown, "b64_url", unknown, "byte_length", eight, "dec", unknown, "hex", unknown, "id",
		unknown, "keepers", null, "prefix", null),
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	kind := os.Args[2]
	count, _ := strconv.Atoi(os.Args[3])
	atOnce, _ := strconv.Atoi(os.Args[4])
	begin := time.Now()
	since := func(then time.Time) float64 { return float64(time.Since(then).Microseconds()) / 1000 }
	started := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig: plugin.HandshakeConfig{MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE",
			MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2"},
		VersionedPlugins: map[int]plugin.PluginSet{5: {"provider": client{}}},
		Cmd:              exec.Command(os.Args[1]),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         true,
		Logger:           hclog.New(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Off}),
	})
	defer started.Kill()
	protocol, err := started.Client()
	check(err)
	dispensed, err := protocol.Dispense("provider")
	check(err)
	connection := dispensed.(*grpc.ClientConn)
	call := func(name string, request []byte) (answer []byte) {
		check(connection.Invoke(context.Background(), "/tfplugin5.Provider/"+name, request, &answer, grpc.ForceCodec(unchanged{})))
		return answer
	}
	call("GetSchema", nil)
	call("PrepareProviderConfig", message(object()))
	call("Configure", message([]byte("1.11.4"), object()))

	name, config, nothing := []byte(kind), configurations[kind], message([]byte(null))
	planned := make([][]byte, count)
	plan := func(i int) {
		planned[i] = call("PlanResourceChange", message(name, nothing, proposals[kind], config))
	}
	apply := func(i int) {
		answer := call("ApplyResourceChange", message(name, nothing, field(planned[i], 1), config, field(planned[i], 3)))
		if bytes.Contains(field(answer, 1), []byte(unknown)) || len(field(answer, 3)) > 0 {
			check(fmt.Errorf("no object is created: %q", answer))
		}
	}
	each := func(work func(int)) float64 {
		then := time.Now()
		var next atomic.Int64
		var workers sync.WaitGroup
		for range atOnce {
			workers.Add(1)
			go func() {
				defer workers.Done()
				for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
					work(i)
				}
			}()
		}
		workers.Wait()
		return since(then)
	}
	call("ValidateResourceTypeConfig", message(name, config))
	plan(0)
	report := map[string]float64{"first_plan": since(begin)}
	report["plan"] = each(plan)
	report["apply"] = each(apply)
	var single []float64
	for range 200 {
		then := time.Now()
		apply(0)
		single = append(single, float64(time.Since(then).Nanoseconds())/1e6)
	}
	slices.Sort(single)
	report["one_apply"] = single[len(single)/2]
	started.Kill()
	seconds := func(who int) float64 {
		var used syscall.Rusage
		check(syscall.Getrusage(who, &used))
		return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
	}
	report["cpu_client"], report["cpu_provider"] = seconds(syscall.RUSAGE_SELF), seconds(syscall.RUSAGE_CHILDREN)
	check(json.NewEncoder(os.Stdout).Encode(report))
}
