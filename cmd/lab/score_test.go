package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/score.txt")

// TestScore keeps the score as a golden table, so that a change of what tailpath
// recovers shows in review, and asserts what may never change: nothing is missing,
// every stage of every request is within the stated error, and every verdict is right.
func TestScore(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("reads 25 captures")
	}
	var out, errs bytes.Buffer
	if code := runScore([]string{"-json"}, &out, &errs); code != exitDone {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	var rows []score
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 25 {
		t.Errorf("%d rows, want 5 scenarios on 5 servers", len(rows))
	}
	for _, r := range rows {
		if r.Missing != 0 || r.Within != r.Requests || r.TTFTGood != r.TTFT || r.Right != r.Seeds {
			t.Errorf("not recovered: %+v", r)
		}
		if (r.Server == "triton" || r.Server == "tgi") && r.Exact != r.Requests {
			t.Errorf("%s has exact stamps, but only %d of %d requests are", r.Server, r.Exact, r.Requests)
		}
	}
	const golden = "testdata/score.txt"
	got := scoreText(rows)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestScoreUsage(t *testing.T) {
	for _, args := range [][]string{{"-seeds", "0"}, {"extra"}, {"-bogus"}, {"-scenario", "nosuch"}} {
		var out, errs bytes.Buffer
		if code := runScore(args, &out, &errs); code != exitUsage || out.Len() > 0 || errs.Len() == 0 {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", args, code, out.String(), errs.String())
		}
	}
}
