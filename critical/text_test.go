package critical

import (
	"bufio"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/critical/stage"
	"github.com/tailpath/tailpath/ingest/table"
)

var update = flag.Bool("update", false, "rewrite the wanted part of testdata/*.test")

// The files testdata/*.test hold one trace each and what is wanted of it. A comment
// says what the case is about. A span is a line
//
//	ID KIND START..END key=value ...
//
// indented below its parent, with times in ms. The keys are name (~ stands for a
// blank), service, host and scope; parent (another id, or ? for one that is absent) and
// id (to share one); the engine columns ttft, e2e, queue, prefill and decode in ms,
// tokens and prompt; error (and its message); remote and local for the flags; @NAME for an event at an
// instant, which /N after it says that it brought so many tokens; dropped for what a span lost;
// link (farlink) for a link to a span of this (another) trace, and follows for
// one that says so; trace=N for another trace; record=N for a line of a log, with source,
// off (its resolution in ms), tid (the number of the trace it names), caller (the span it
// names), rid (its request id), direction (the side of a mesh's proxy), clock, status and
// parts, as part=START..END:stage/detail. Any other key that has a dot is an attribute.
// After a line "---" follows what is wanted, as -update writes it.
func TestText(t *testing.T) {
	files, err := filepath.Glob("testdata/*.test")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".test"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, ok := strings.Cut(string(data), "---\n")
			if !ok && !*update {
				t.Fatal("no line ---")
			}
			set, names := parseText(t, input)
			got := describe(t, set, names, optionsOf(input))
			if *update {
				if err := os.WriteFile(file, []byte(input+"---\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// optionsOf returns the options of a case: a line "# with clock=adjust" sets one.
func optionsOf(input string) (opt Options) {
	if strings.Contains(input, "# with clock=adjust\n") {
		opt.Clock = Adjust
	}
	return opt
}

func ms(text string) int64 {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return int64(math.Round(value * 1e6))
}

// parseText reads the spans of a case into a canonical set. Ids are numbered in the
// order of their first mention.
func parseText(t *testing.T, input string) (*table.Set, map[table.SpanID]string) {
	set := table.NewSet()
	names := map[table.SpanID]string{}
	number := func(id string) table.SpanID {
		for n, name := range names {
			if name == id {
				return n
			}
		}
		n := spanID(uint64(len(names) + 1))
		names[n] = id
		return n
	}
	type level struct {
		indent int
		id     string
	}
	var above []level
	lines := bufio.NewScanner(strings.NewReader(input))
	for lines.Scan() {
		line := lines.Text()
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		for len(above) > 0 && above[len(above)-1].indent >= indent {
			above = above[:len(above)-1]
		}
		from, to, ok := strings.Cut(fields[2], "..")
		kind := slices.Index(table.KindNames, strings.ToUpper(fields[1]))
		if !ok || kind < 0 {
			t.Fatalf("not a span: %s", line)
		}
		row := set.Spans.Grow()
		sp := &set.Spans
		sp.TraceID[row], sp.SpanID[row], sp.Kind[row] = table.TraceID{15: 1}, number(fields[0]), uint8(kind)
		sp.Start[row], sp.End[row] = ms(from), ms(to)
		sp.Name[row], sp.Source[row] = set.Symbols.Intern(fields[0]), set.Symbols.Intern("test")
		if len(above) > 0 {
			sp.ParentID[row] = number(above[len(above)-1].id)
		}
		above = append(above, level{indent, fields[0]})
		scope := set.Scopes.Grow()
		sp.ScopeRow[row] = int32(scope)
		set.Scopes.Service[scope] = set.Symbols.Intern("svc")
		for _, field := range fields[3:] {
			key, value, _ := strings.Cut(field, "=")
			sym := set.Symbols.Intern
			columns := map[string][]int64{"ttft": sp.TTFT, "e2e": sp.E2E, "queue": sp.Queue, "prefill": sp.Prefill, "decode": sp.Decode}
			switch {
			case columns[key] != nil:
				columns[key][row] = ms(value)
				if key == "prefill" {
					sp.Attributes.Add(sym("gen_ai.latency.time_in_model_prefill"), table.DoubleValue(1))
				} else if key == "queue" {
					sp.Attributes.Add(sym("gen_ai.latency.time_in_queue"), table.DoubleValue(1))
				}
			case key == "trace":
				n, _ := strconv.Atoi(value)
				sp.TraceID[row] = table.TraceID{14: 1, 15: byte(n)}
			case key == "record":
				n, _ := strconv.Atoi(value)
				sp.TraceID[row], sp.Origin[row] = table.TraceID{14: 2, 15: byte(n)}, table.OriginRecord
			case key == "tid":
				sp.Attributes.Add(sym("trace_id"), table.StringValue("0000000000000000000000000000"+value))
			case key == "caller":
				id := number(value)
				sp.Attributes.Add(sym("parent_id"), table.StringValue(hex.EncodeToString(id[:])))
			case key == "rid":
				sp.RequestID[row] = "request-with-a-long-id-7f3a9c51-" + value
			case key == "direction":
				sp.Attributes.Add(sym(key), table.StringValue(value))
			case key == "source":
				sp.Source[row] = sym(value)
			case key == "status":
				sp.HTTPStatus[row], _ = strconv.ParseInt(value, 10, 64)
			case key == "off":
				sp.Error[row], sp.LengthError[row] = ms(value), ms(value)
			case key == "clock":
				sp.Clock[row] = uint8(slices.Index(table.ClockNames, value))
			case key == "part":
				when, what, _ := strings.Cut(value, ":")
				from, to, _ := strings.Cut(when, "..")
				of, detail, _ := strings.Cut(what, "/")
				i := set.Parts.Grow()
				set.Parts.SpanRow[i], set.Parts.Start[i], set.Parts.End[i] = int32(row), ms(from), ms(to)
				set.Parts.Stage[i], set.Parts.Detail[i] = uint8(slices.Index(table.StageNames[:], of)), sym(strings.ReplaceAll(detail, "~", " "))
				set.Parts.Error[i], set.Parts.Basis[i] = sp.Error[row], sym("a timer")
			case key == "error":
				sp.Status[row], sp.StatusMessage[row] = statusError, value
			case key == "prompt":
				sp.PromptTokens[row], _ = strconv.ParseInt(value, 10, 64)
			case key == "tokens":
				sp.OutputTokens[row], _ = strconv.ParseInt(value, 10, 64)
			case key == "name":
				sp.Name[row] = sym(strings.ReplaceAll(value, "~", " "))
			case key == "service":
				set.Scopes.Service[scope] = sym(value)
			case key == "host":
				set.Scopes.Host[scope] = sym(value)
			case key == "scope":
				set.Scopes.Scope[scope] = sym(strings.ReplaceAll(value, "~", " "))
			case key == "id":
				sp.SpanID[row] = number(value)
			case key == "parent":
				sp.ParentID[row] = number(value)
			case key == "remote":
				sp.Flags[row] = 0x300
			case key == "local":
				sp.Flags[row] = 0x100
			case strings.HasPrefix(key, "@"):
				e := set.SpanEvents.Grow()
				at, tokens, counted := strings.Cut(value, "/")
				set.SpanEvents.SpanRow[e], set.SpanEvents.Name[e], set.SpanEvents.Time[e] = int32(row), sym(strings.ReplaceAll(key[1:], "~", " ")), ms(at)
				if n, _ := strconv.ParseInt(tokens, 10, 64); counted {
					set.SpanEvents.Attributes.Add(sym("token_count"), table.IntValue(n))
				}
			case key == "dropped":
				sp.Dropped[row], _ = strconv.ParseInt(value, 10, 64)
			case key == "link" || key == "farlink":
				l := set.SpanLinks.Grow()
				set.SpanLinks.SpanRow[l], set.SpanLinks.TraceID[l], set.SpanLinks.SpanID[l] = int32(row), sp.TraceID[row], number(value)
				if key == "farlink" {
					set.SpanLinks.TraceID[l] = table.TraceID{15: 9}
				}
				if fields[len(fields)-1] == "follows" {
					set.SpanLinks.Attributes.Add(sym("opentracing.ref_type"), table.StringValue("follows_from"))
				}
			case key == "follows":
			case key == "gen_ai.operation.name":
				sp.Operation[row] = sym(value)
				sp.Attributes.Add(sym(key), table.StringValue(value))
			case strings.Contains(key, ".") || strings.HasSuffix(key, "_time"):
				if number, err := strconv.ParseFloat(value, 64); err == nil {
					sp.Attributes.Add(sym(key), table.DoubleValue(number))
				} else {
					sp.Attributes.Add(sym(key), table.StringValue(value))
				}
			default:
				t.Fatalf("unknown key %s", key)
			}
		}
	}
	set.Canonicalize()
	return set, names
}

// describe spells every request of a set as the cases want it.
func describe(t *testing.T, set *table.Set, names map[table.SpanID]string, opt Options) string {
	var out strings.Builder
	requests, account := build(t, set, opt)
	for _, r := range requests {
		fmt.Fprintf(&out, "request %s %s", names[r.Spans[0].ID], r.Class)
		if r.ClassReason != "" {
			fmt.Fprintf(&out, " (%s)", r.ClassReason)
		}
		fmt.Fprintf(&out, " %s..%s", inMS(r.Start), inMS(r.End))
		if r.Units > 1 {
			fmt.Fprintf(&out, ", %d units joined by %s", r.Units, r.JoinedBy)
		}
		if r.Attempts > 1 {
			fmt.Fprintf(&out, ", %d attempts", r.Attempts)
		}
		fmt.Fprintln(&out)
		describePath(&out, r, names, "path", r.EndPath)
		if r.TokenPath != nil {
			fmt.Fprintf(&out, "first token %s by %s\n", inMS(r.FirstToken), r.Basis)
			describePath(&out, r, names, "ttft", r.TokenPath)
		}
		if r.BytePath != nil {
			fmt.Fprintf(&out, "first byte %s by %s\n", inMS(r.FirstByte), r.ByteBasis)
			describePath(&out, r, names, "ttfb", r.BytePath)
		}
		for _, s := range r.Spans[1:] {
			if s.Role != Blocking || s.Repair != "" {
				fmt.Fprintf(&out, "span %s %s", names[s.ID], s.Role)
				if s.Repair != "" {
					fmt.Fprintf(&out, " (%s)", s.Repair)
				}
				fmt.Fprintln(&out)
			}
		}
		for _, e := range r.Excluded {
			fmt.Fprintf(&out, "excluded %s: %s\n", names[set.Spans.SpanID[e.Row]], e.Reason)
		}
	}
	for _, e := range account.Entries() {
		fmt.Fprintf(&out, "issue %s %d\n", e.ID, e.Count)
	}
	return out.String()
}

func describePath(out *strings.Builder, r *Request, names map[table.SpanID]string, label string, path Path) {
	for _, s := range path {
		fmt.Fprintf(out, "%s %s..%s %s %s/%s", label, inMS(s.Start), inMS(s.End), names[r.Spans[s.Span].ID], s.Stage, s.Detail)
		if s.Confidence != Exact {
			fmt.Fprintf(out, " %s", s.Confidence)
		}
		if s.Error > 0 {
			fmt.Fprintf(out, " ±%s", inMS(s.Error))
		}
		if s.OverlappedBy >= 0 {
			fmt.Fprintf(out, " while %s ran", names[r.Spans[s.OverlappedBy].ID])
		}
		fmt.Fprintln(out)
	}
	if len(path) == 0 {
		return
	}
	fmt.Fprintf(out, "%s sum", label)
	for k, ns := range path.Stages() {
		if ns != 0 {
			fmt.Fprintf(out, " %s=%s", stage.Stage(k), inMS(ns))
		}
	}
	fmt.Fprintln(out)
}

func inMS(ns int64) string { return strconv.FormatFloat(float64(ns)/1e6, 'f', -1, 64) }
