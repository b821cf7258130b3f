package reports

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/analyze/stat"
)

// CountWords says that the stage with the largest share of the excess is not the one that
// exceeds by most in most slow requests: a few long ones then make the share, and the usual
// slow request is another. It is empty when both name the same stage, and begins with ~ where
// chance makes such a difference of the counts as well.
func (a *Attribution) CountWords() string {
	if a == nil || len(a.Stages) == 0 {
		return ""
	}
	share, count := 0, 0
	for k, s := range a.Stages {
		if s.Share.Value > a.Stages[share].Share.Value {
			share = k
		}
		if s.Largest > a.Stages[count].Largest {
			count = k
		}
	}
	first, most := a.Stages[share], a.Stages[count]
	if first.Largest >= most.Largest {
		return ""
	}
	chance := ""
	if stat.ClopperPearson(most.Largest, most.Largest+first.Largest, stat.Confidence).Low <= 0.5 {
		chance = "~ "
	}
	text := chance + fmt.Sprintf("the count names another stage than the share: %s exceeds by most in %s of %s, ", most.Stage, Integer(most.Largest), the(a.TailN, "slow request"))
	if first.Largest == 0 {
		return text + fmt.Sprintf("%s in none: it has the largest share and is the largest part of no slow request", first.Stage)
	}
	text += fmt.Sprintf("%s in %s", first.Stage, Integer(first.Largest))
	if chance == "" {
		text += ": fewer and longer ones make its share"
	}
	return text
}

// Exceeding counts the slow requests in which some stage exceeds its median: those that
// Largest counts for a stage.
func (a *Attribution) Exceeding() (n int64) {
	for _, s := range a.Stages {
		n += s.Largest
	}
	return n
}

// Serial reports whether the stage's gain is written alike with and without the bound that
// parallel branches set.
func (s AttributedStage) Serial(u Unit) bool {
	return u.Format(rounded(s.Gain.Value)) == u.Format(rounded(s.GainBounded.Value))
}

// PercentOf writes the share of a stage in the time of a mix as in the table of all stages,
// where shares add up to 100.0.
func (m Mix) PercentOf(stage string) string {
	shares := make([]float64, len(m.Stages))
	for k, s := range m.Stages {
		shares[k] = s.Share
	}
	for k, text := range Percents(shares) {
		if m.Stages[k].Stage == stage {
			return text
		}
	}
	return "0.0"
}

// ExcessPercent writes the share of a stage in the excess as the headline has it.
func (t Tail) ExcessPercent(stage string) string { return strings.TrimSuffix(t.percentOf(stage), " %") }
