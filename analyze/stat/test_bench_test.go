package stat

import "testing"

func BenchmarkMannWhitneyMillion(b *testing.B) {
	x, y := drawn(1_000_000, 1<<22, 0, 1), drawn(1_000_000, 1<<22, 100, 2)
	for b.Loop() {
		MannWhitney(x, y)
	}
}

func BenchmarkMannWhitneyExactWorst(b *testing.B) {
	x, y := drawn(31, 1<<22, 0, 1), drawn(33, 1<<22, 100, 2)
	for b.Loop() {
		MannWhitney(x, y)
	}
}

func BenchmarkFisherMillion(b *testing.B) {
	for b.Loop() {
		FisherTwoSided(100_500, 899_500, 100_000, 900_000)
	}
}

func BenchmarkSketchMillion(b *testing.B) {
	values := drawn(1_000_000, 1<<22, 0, 1)
	for b.Loop() {
		sketchOf(values)
	}
}
