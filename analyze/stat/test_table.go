package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// expectsFew is the expected count of a cell below which the law of ChiSquared and GTest is
// not to be trusted.
const expectsFew = 5

// ChiSquared tests whether the rows of a table of counts have one law: Pearson's statistic,
// the sum of (observed - expected)^2 / expected, without a correction for continuity.
// Effect is Cramer's V, from 0 for rows alike to 1 for rows that share nothing.
//
// A row or column of zeros counts for nothing, a row that is short ends in zeros, and
// counts below 0 are taken as 0. Where a cell expects fewer than 5 there is a warning:
// FisherTwoSided is exact for tables of two by two.
func ChiSquared(t [][]int64) Test { return tableTest(t, MethodChiSquared) }

// GTest is ChiSquared with another statistic, the likelihood ratio 2 * sum of
// observed * ln(observed / expected). Effect is Cramer's V all the same.
func GTest(t [][]int64) Test { return tableTest(t, MethodG) }

// tableTest computes both statistics. gonum's stat.ChiSquare has neither degrees of freedom
// nor the expected counts of a table, and its distuv.ChiSquared comes with matrices that
// nothing here needs: the survival function is one line of mathext.
func tableTest(table [][]int64, method string) Test {
	t := Test{Method: method, P: 1}
	rows, columns, total := margins(table)
	if len(rows) > 0 {
		t.N1, t.N2 = rows[0], total-rows[0]
	}
	usedRows, usedColumns := positive(rows), positive(columns)
	if usedRows < 2 || usedColumns < 2 {
		t.Warnings = []Warning{{TooFew, fmt.Sprintf("a table of %d rows by %d columns has nothing to compare", usedRows, usedColumns)}}
		return t
	}
	t.DF = (usedRows - 1) * (usedColumns - 1)
	var pearson, g float64
	least := math.Inf(1)
	for i, row := range rows {
		for j, column := range columns {
			if row == 0 || column == 0 {
				continue
			}
			expected := float64(row) * float64(column) / float64(total)
			observed := float64(cell(table, i, j))
			least = min(least, expected)
			d := observed - expected
			pearson += float64(d * d / expected)
			if observed > 0 {
				g += float64(observed * math.Log(observed/expected))
			}
		}
	}
	t.Statistic = pearson
	if method == MethodG {
		t.Statistic = max(0, 2*g)
	}
	t.P = min(1, mathext.GammaIncRegComp(float64(t.DF)/2, t.Statistic/2))
	t.Effect = min(1, math.Sqrt(pearson/float64(total)/float64(min(usedRows, usedColumns)-1)))
	if least < expectsFew {
		t.Warnings = append(t.Warnings, Warning{SmallExpected, fmt.Sprintf("a cell of the table expects %.3g, and the test wants %d or more", least, expectsFew)})
	}
	return t
}

// margins returns the sums of the rows and of the columns of a table, and of all of it.
func margins(table [][]int64) (rows, columns []int64, total int64) {
	width := 0
	for _, row := range table {
		width = max(width, len(row))
	}
	rows, columns = make([]int64, len(table)), make([]int64, width)
	for i := range rows {
		for j := range columns {
			c := cell(table, i, j)
			rows[i] += c
			columns[j] += c
			total += c
		}
	}
	return rows, columns, total
}

// cell returns the count of a cell, 0 where the table has none.
func cell(table [][]int64, i, j int) int64 {
	if j >= len(table[i]) {
		return 0
	}
	return max(0, table[i][j])
}

// positive counts the sums above 0.
func positive(sums []int64) (n int64) {
	for _, s := range sums {
		if s > 0 {
			n++
		}
	}
	return n
}
