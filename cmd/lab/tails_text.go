package main

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/cmd/lab/plant"
)

// tailsText is the table of planted tails as it is kept as a golden file, with its totals
// and every miss by name.
func tailsText(rows []tailScore) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-17s %8s %-4s %-11s %5s %5s %5s %6s %-8s %-4s %4s %5s %5s %7s %4s %5s %4s %6s %6s %5s %5s %6s %5s %8s %5s %5s %7s %5s\n",
		"tail", "requests", "at", "top", "share", "lead", "error", "incid.", "open", "dom.",
		"dom.", "leads", "mixed", "unclear", "none", "unatt", "few", "first", "named", "wrong", "held", "false", "unfd.", "covered", "below", "above", "refused", "width")
	for _, r := range rows {
		fmt.Fprintf(&out, "%-17s %8d %-4s %-11s %5.2f %5.2f %5.2f %6.1f %-8s %-4s %4s %5s %5s %7s %4s %5s %4s %6s %6s %5s %5s %6d %5d %8s %5d %5d %7d %5s\n",
			r.Kind, r.Requests, r.Percentile, r.Top, r.Share, r.Lead, r.LeadError, r.Incidents, dash(string(r.Open)), yes(r.Dominates),
			count(r.Said[0]), count(r.Said[1]), count(r.Said[2]), count(r.Said[3]), count(r.Said[4]), count(r.Said[5]), count(r.Said[6]),
			r.ofDecided(r.First), r.ofDecided(r.Named), r.ofDecided(r.Wrong), r.ofOpen(r.Held),
			r.False, r.Unfounded, fmt.Sprintf("%d/%d", r.Covered, r.Predicting), r.Below, r.Above, r.Refused, width(r))
	}
	for _, correlated := range []bool{false, true} {
		var t tailTotals
		for _, r := range rows {
			if r.Correlated == correlated {
				t.add(r)
			}
		}
		if t.captures > 0 {
			out.WriteString("\n" + t.text(correlated))
		}
	}
	out.WriteString("\n" + limitsText(rows))
	named := false
	for _, r := range rows {
		for _, m := range r.Misses {
			if !named {
				out.WriteString("\nmisses:\n")
				named = true
			}
			fmt.Fprintf(&out, "%s of %d, %s\n", r.Kind, r.Requests, m)
		}
	}
	named = false
	for _, r := range rows {
		if len(r.Outside) > 0 {
			if !named {
				out.WriteString("\nintervals that miss the true share, by seed:\n")
				named = true
			}
			fmt.Fprintf(&out, "%s of %d: %s\n", r.Kind, r.Requests, strings.Join(r.Outside, ", "))
		}
	}
	return out.String()
}

// count is a count, and a dot for none, which makes the others easier to see.
func count(n int) string {
	if n == 0 {
		return "."
	}
	return fmt.Sprint(n)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func width(r tailScore) string {
	if r.Predicting == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", r.Width)
}

// ofDecided is a count that only decidable captures have.
func (r *tailScore) ofDecided(n int) string {
	if r.Open != plant.Decided {
		return "-"
	}
	return fmt.Sprint(n)
}

// ofOpen is a count that only undecidable captures have.
func (r *tailScore) ofOpen(n int) string {
	if r.Open == plant.Decided {
		return "-"
	}
	return fmt.Sprint(n)
}

// percent is a part of a whole with one decimal.
func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}
