package tokens_test

import (
	"fmt"

	"github.com/tailpath/tailpath/analyze/tokens"
)

func ExampleNewStream() {
	s := tokens.NewStream(0, tokens.Absent, []tokens.Chunk{
		{AtNS: 600e6, Tokens: 1}, {AtNS: 650e6, Tokens: 3}, {AtNS: 700e6, Tokens: 2},
	})
	fmt.Println(s.ChunkGaps())
	fmt.Println(s.Gaps())
	fmt.Println(s.Times().TPOT().V)
	one := tokens.NewStream(0, tokens.Absent, []tokens.Chunk{{AtNS: 600e6, Tokens: 1}})
	fmt.Println(one.Times().TPOT().Undefined)
	// Output:
	// [50000000 50000000]
	// [16666666 16666667 16666667 25000000 25000000]
	// 2e+07
	// fewer than two output tokens
}

func ExampleStream_OnSchedule() {
	s := tokens.NewStream(0, tokens.Absent, []tokens.Chunk{
		{AtNS: 600e6, Tokens: 1}, {AtNS: 625e6, Tokens: 1}, {AtNS: 652e6, Tokens: 1}, {AtNS: 676e6, Tokens: 1},
	})
	fmt.Println(s.OnSchedule(tokens.Schedule{FirstNS: 700e6, GapNS: 25e6}))
	fmt.Println(s.OnSchedule(tokens.Schedule{FirstNS: 500e6, GapNS: 25e6}))
	// Output:
	// {4 4 0}
	// {4 0 102000000}
}
