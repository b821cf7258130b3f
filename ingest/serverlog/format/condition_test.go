package format

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tailpath/tailpath/ingest/table"
)

// covered is a format with parts that depend on a field, and a wait that may lie in what
// is before it.
const covered = `id: covered
title: unit test
doc: A format of the tests.
kind: gateway
service: covered
absent: ["-"]
records:
  - id: request
    example: "t=10.000 total=100 up=20 sent=40 wait=10 kind=a"
    pattern: "t={time:epoch_s} total={total:ms} up={up:ms} sent={sent:ms} wait={wait:ms} kind={kind:token}"
    span:
      start: time
      end: start + total
      untold: {kind: ["b*"]}
      parts:
        - {when: {kind: ["!*"]}, until: start + up, stage: unattributed, detail: none}
        - {when: {kind: ["*", "!b*"]}, until: start + up, stage: network, detail: upload}
        - {when: {kind: [b1, b2]}, until: start + up, stage: queue, detail: admission}
        - {from: start + up, until: start + sent - wait, cut: true, stage: gateway, detail: own}
        - {from: start + sent - wait, until: start + sent, cut: true, stage: queue, detail: wait}
`

// TestCut says that what a part shares with the one before it is left out, and that what
// lies before the span cannot be.
func TestCut(t *testing.T) {
	f := compile(t, covered)
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 50)
		up, rest, wait := ms.Draw(t, "up"), ms.Draw(t, "rest"), rapid.Int64Range(0, 120).Draw(t, "wait")
		sent := up + rest
		_, out := evaluate(t, f, fmt.Sprintf("t=10.000 total=100 up=%d sent=%d wait=%d kind=a", up, sent, wait))
		if wait > sent+1 {
			if len(out.Impossible) == 0 || out.Impossible[0] != "wait" {
				t.Fatalf("a wait of %d in %d: impossible %v", wait, sent, out.Impossible)
			}
			return
		}
		if len(out.Impossible) > 0 {
			t.Fatalf("up %d, sent %d, wait %d: impossible %v", up, sent, wait, out.Impossible)
		}
		got := map[uint8]int64{}
		for _, p := range out.Parts {
			got[p.Stage] += (p.End - p.Start) / 1e6
		}
		queue, gateway := uint8(0), uint8(0)
		for i, name := range table.StageNames {
			switch name {
			case "queue":
				queue = uint8(i)
			case "gateway":
				gateway = uint8(i)
			}
		}
		if got[queue] != min(wait, rest) || got[gateway] != rest-min(wait, rest) {
			t.Fatalf("up %d, sent %d, wait %d: queue %d, gateway %d", up, sent, wait, got[queue], got[gateway])
		}
	})
}

// TestPartsWhen says which parts there are by the texts of a field, and when a part of a
// request is not told.
func TestPartsWhen(t *testing.T) {
	f := compile(t, covered)
	for _, c := range []struct{ kind, want, untold string }{
		{"-", "none", ""}, {"a", "upload", ""}, {"b1", "admission", "kind"}, {"b3", "not recorded", "kind"},
	} {
		r, values, _ := f.Match(&Line{Text: []byte("t=10.000 total=100 up=20 sent=40 wait=10 kind=" + c.kind)}, f.NewScratch())
		var out Result
		if r.Span.Evaluate(values, &out); r.Span.Labels[out.Parts[0].Detail] != c.want || out.Untold != c.untold {
			t.Errorf("%s: %s, untold %q; want %s, %q", c.kind, r.Span.Labels[out.Parts[0].Detail], out.Untold, c.want, c.untold)
		}
	}
	for _, c := range [][2]string{
		{"{kind: [b1, b2]}", "{kinds: [b1]}"}, {"{kind: [b1, b2]}", "{kind: []}"}, {`untold: {kind: ["b*"]}`, "untold: {kinds: [b]}"},
	} {
		d, err := Parse([]byte(strings.Replace(covered, c[0], c[1], 1)), "unit.yaml")
		if err == nil {
			_, err = d.Compile()
		}
		if err == nil || !strings.HasPrefix(err.Error(), "unit.yaml:") {
			t.Errorf("%s: %v", c[1], err)
		}
	}
}
