package table

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// packHybrid encodes values as runs and packed groups as lengths says, by a way of
// its own: one bit after the other.
func packHybrid(values []uint32, width int, lengths []int) []byte {
	var out []byte
	for k := 0; len(values) > 0; k++ {
		n := lengths[k%len(lengths)]
		same := 1
		for same < len(values) && values[same] == values[0] {
			same++
		}
		if n%2 == 0 { // a run
			n = min(same, n/2+1)
			out = binary.AppendUvarint(out, uint64(n)<<1)
			for i := range (width + 7) / 8 {
				out = append(out, byte(values[0]>>(8*i)))
			}
			values = values[n:]
			continue
		}
		groups := n/2 + 1
		n = min(groups*8, len(values))
		out = binary.AppendUvarint(out, uint64(groups)<<1|1)
		packed := make([]byte, groups*width)
		for i, v := range values[:n] {
			for b := range width {
				if at := i*width + b; v>>b&1 == 1 {
					packed[at/8] |= 1 << (at % 8)
				}
			}
		}
		out = append(out, packed...)
		values = values[n:]
	}
	return out
}

func TestHybridReadsWhatIsPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(0, 32).Draw(t, "width")
		most := uint32(uint64(1)<<width - 1)
		values := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) uint32 {
			return rapid.OneOf(rapid.SampledFrom([]uint32{0, 1 & most, most}), rapid.Uint32Range(0, most)).Draw(t, "value")
		}), 0, 60).Draw(t, "values")
		data := packHybrid(values, width, rapid.SliceOfN(rapid.IntRange(0, 9), 1, 5).Draw(t, "lengths"))
		h := &hybrid{data: data, width: width, most: most}
		var got []uint32
		for len(got) < len(values) { // in pieces
			part := make([]uint32, min(rapid.IntRange(1, 20).Draw(t, "piece"), len(values)-len(got)))
			if err := h.read(part); err != nil {
				t.Fatal(err)
			}
			got = append(got, part...)
		}
		if !slices.Equal(got, values) {
			t.Fatalf("%v is read as %v", values, got)
		}
		if len(values) == 0 {
			return
		}

		// Cut anywhere, it ends in an error or in values that were there.
		cut := &hybrid{data: data[:rapid.IntRange(0, len(data)-1).Draw(t, "cut")], width: width, most: most}
		if all := make([]uint32, len(values)); cut.read(all) == nil && !slices.Equal(all, values) {
			t.Fatalf("cut short, %v is read as %v", values, all)
		}
		if greatest := slices.Max(values); greatest > 0 {
			low := &hybrid{data: data, width: width, most: greatest - 1}
			if low.read(make([]uint32, len(values))) == nil {
				t.Fatalf("%v is read where at most %d may be", values, greatest-1)
			}
		}
	})
}

func TestHybridAlwaysEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &hybrid{data: rapid.SliceOf(rapid.Byte()).Draw(t, "data"), width: rapid.IntRange(0, 32).Draw(t, "width"), most: rapid.Uint32().Draw(t, "most")}
		dst := make([]uint32, rapid.IntRange(0, 300).Draw(t, "n"))
		if h.read(dst) == nil && len(dst) > 0 && slices.Max(dst) > h.most {
			t.Fatalf("%v is read where at most %d may be", dst, h.most)
		}
	})
}

func TestLevelStream(t *testing.T) {
	page := append([]byte{2, 0, 0, 0, 5 << 1, 1}, "values"...)
	h, rest, err := levelStream(page, 1)
	if err != nil || string(rest) != "values" || h.width != bits.Len(1) {
		t.Fatal(h, rest, err)
	}
	def := make([]uint32, 5)
	if err := h.read(def); err != nil || !slices.Equal(def, []uint32{1, 1, 1, 1, 1}) {
		t.Error(def, err)
	}
	for _, bad := range [][]byte{nil, {2, 0, 0}, {200, 0, 0, 0, 1}} {
		if _, _, err := levelStream(bad, 1); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}
