package otlp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"pgregory.net/rapid"
)

// drawFrames makes frames of one form, each with at least one span.
func drawFrames(t *rapid.T, form Form, least int) [][]byte {
	var frames [][]byte
	for i := range rapid.IntRange(least, 5).Draw(t, "frames") {
		td := batch(rapid.IntRange(1, 3).Draw(t, "spans"), i)
		msg, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if form == FramedJSON || form == ZstdFramedJSON {
			msg, err = (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		}
		if err != nil {
			t.Fatal(err)
		}
		if form >= ZstdFramedJSON {
			msg = zstdOf(msg)
		}
		frames = append(frames, frameOf(msg))
	}
	return frames
}

// A frame that is damaged in any way, its length included, costs itself only, is counted,
// and no row comes twice. What cannot be told apart is a frame that holds a whole frame
// in a value of its own: it is cut there if something behind it is damaged.
func TestDamagedFrameCostsItselfOnly(t *testing.T) {
	for _, form := range []Form{FramedJSON, FramedProtobuf, ZstdFramedJSON, ZstdFramedProtobuf} {
		t.Run(form.String(), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				frames := drawFrames(rt, form, 2)
				k := rapid.IntRange(0, len(frames)-1).Draw(rt, "frame")
				others := readAs(rt, bytes.Join(slices.Delete(slices.Clone(frames), k, k+1), nil), form).rows()
				all := readAs(rt, bytes.Join(frames, nil), form).rows()
				if rapid.Bool().Draw(rt, "length") {
					frames[k] = slices.Clone(frames[k])
					frames[k][rapid.IntRange(0, 3).Draw(rt, "byte")] ^= byte(rapid.IntRange(1, 255).Draw(rt, "bits"))
				} else {
					frames[k] = damage(rt, frames[k])
				}
				got := readAs(rt, bytes.Join(frames, nil), form)
				rows := got.rows()
				seen := map[string]int{}
				for _, row := range rows {
					if seen[row]++; seen[row] > 1 && slices.Contains(all, row) {
						rt.Fatalf("a row was read twice; issues %v", got.issues())
					}
				}
				for _, row := range others {
					if !slices.Contains(rows, row) {
						rt.Fatalf("a row of another frame is lost; account %+v; frame %d of %d, damaged frame %x", got.account.Entries(), k, len(frames), frames[k])
					}
				}
				if len(rows) < len(all) && len(got.issues()) == 0 && len(frames[k]) > 0 {
					rt.Fatalf("%d rows of %d, and nothing is counted; damaged frame %q", len(rows), len(all), frames[k])
				}
				for _, size := range []int{1, 900} {
					chunks := readChunks(rt, bytes.Join(frames, nil), form, size)
					diff(rt, "rows of chunks", rows, chunks.rows())
					diff(rt, "account of chunks", got.account.Entries(), chunks.account.Entries())
				}
			})
		})
	}
}

// One wrong length is one bad document, not the end of the input.
func TestOneWrongLengthIsCountedOnce(t *testing.T) {
	for _, form := range []Form{FramedJSON, FramedProtobuf, ZstdFramedJSON, ZstdFramedProtobuf} {
		for _, change := range []int{-40, -1, 1, 2, 3, 4, 50, 5000, 1 << 20, 100 << 20} {
			var data []byte
			for i := range 20 {
				msg := protoOf(t, batch(2, i))
				if form == FramedJSON || form == ZstdFramedJSON {
					var err error
					if msg, err = (&ptrace.JSONMarshaler{}).MarshalTraces(batch(2, i)); err != nil {
						t.Fatal(err)
					}
				}
				if form >= ZstdFramedJSON {
					msg = zstdOf(msg)
				}
				frame := frameOf(msg)
				if i == 4 {
					binary.BigEndian.PutUint32(frame, uint32(len(msg)+change))
				}
				data = append(data, frame...)
			}
			got := readAs(t, data, form)
			if got.stats.Spans < 38 || got.account.Count(CutLast.ID) != 0 || got.account.Count(BadDocument.ID) != 1 {
				t.Errorf("%v, length off by %d: %d spans, issues %v", form, change, got.stats.Spans, got.issues())
			}
			if got.stats.Spans > 40 {
				t.Errorf("%v, length off by %d: %d spans of 40", form, change, got.stats.Spans)
			}
		}
	}
}

// Documents of a torn JSON frame are read once, although its length spans the frames
// that were appended behind it.
func TestTornJSONFrameIsNotReadTwice(t *testing.T) {
	first := frameOf([]byte(doc(spanText(1, ""), spanText(2, ""))))
	data := append(slices.Clone(first[:len(first)-60]), frameOf([]byte(doc(spanText(3, ""))))...)
	data = append(data, frameOf([]byte(doc(spanText(4, ""))))...)
	got := readAs(t, data, FramedJSON)
	diff(t, "issues", []string{"otlp-bad-document=1"}, got.issues())
	if got.stats.Spans != 3 && got.stats.Spans != 4 {
		t.Errorf("%d spans", got.stats.Spans)
	}
	seen := map[string]bool{}
	for _, row := range got.rows() {
		if seen[row] {
			t.Errorf("read twice: %s", row)
		}
		seen[row] = true
	}
}

// Frames that all span the same end, each of which begins inside the one before it, take
// a time that grows with the input and not with its square: the square of this one would
// not return.
func TestNestedLengthsAreReadOnce(t *testing.T) {
	const frames = 300_000
	for _, head := range []string{`{"resourceSpans":[`, `{"resourceSpans":[{"x":[ `, "\x0a\x06\x12\x04\x12\x02\x39\x00", string(zstdMagic)} {
		for _, far := range []bool{false, true} {
			end := frames * (frameHead + len(head))
			tail := frameOf([]byte(doc(spanText(1, ""))))
			if far {
				end += len(tail)
			}
			var data []byte
			for i := range frames {
				data = binary.BigEndian.AppendUint32(data, uint32(end-i*(frameHead+len(head))-frameHead))
				data = append(data, head...)
			}
			got := readAs(t, append(data, tail...), FramedJSON)
			if got.stats.Spans != 1 {
				t.Errorf("%s: the good frame behind is lost; issues %v", fmt.Sprintf("%.20q", head), got.issues())
			}
		}
	}
}
