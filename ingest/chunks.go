package ingest

import (
	"bytes"
	"io"

	"github.com/tailpath/tailpath/ingest/otlp"
	"github.com/tailpath/tailpath/ingest/table"
)

// decode reads a stream of a known form. With several workers it is cut into chunks,
// which are decoded by whoever is free and put together in order. When a chunk turns
// out to end inside a document, the rest is read in one piece from its start on, as one
// worker would have read it all.
func (j *job) decode(r io.Reader, form otlp.Form) error {
	if j.opt.Workers == 1 || form == otlp.JSON {
		return j.whole(r, form, otlp.Start{Line: 1})
	}
	s := otlp.NewSplitter(r, form)
	var pending []*piece
	for {
		chunk, ok := s.Next()
		if !ok {
			break
		}
		p := &piece{chunk: chunk, gauge: j.gauge, done: make(chan struct{})}
		pending = append(pending, p)
		select {
		case j.slots <- struct{}{}:
			go func() {
				p.read(j.name, form, j.opt.Logs.KeepText)
				<-j.slots
			}()
		default:
			p.read(j.name, form, j.opt.Logs.KeepText)
		}
		for len(pending) > 0 && (len(pending) > 2*j.opt.Workers || pending[0].finished()) {
			if !j.take(pending[0]) {
				return j.again(pending, s, form)
			}
			pending = pending[1:]
		}
	}
	for i, p := range pending {
		if !j.take(p) {
			return j.again(pending[i:], s, form)
		}
	}
	rest, at := s.Rest()
	return j.whole(rest, form, at)
}

// whole reads a stream in one piece.
func (j *job) whole(r io.Reader, form otlp.Form, at otlp.Start) error {
	set := table.NewSet()
	rows := scale{gauge: j.gauge, set: set}
	var b bodies
	collect := b.collect(set)
	d := otlp.NewDecoderWith(set, &j.account.Account, j.name, otlp.Options{
		KeepText: j.opt.Logs.KeepText,
		Line: func(text []byte, at otlp.LogLine) bool {
			if collect(text, at); len(b.text) >= bodiesAtOnce {
				j.readBodies(&b)
				b.reset()
			}
			return false
		},
	})
	defer d.Close()
	err := d.Read(rows.reader(r), form, at)
	j.readBodies(&b)
	rows.weigh()
	j.stats.Add(d.Stats())
	j.sets = append(j.sets, set)
	return err
}

// take puts a piece behind what was read so far. It returns false when the piece has to
// be read again.
func (j *job) take(p *piece) bool {
	<-p.done
	if !p.clean {
		return false
	}
	j.sets = append(j.sets, p.set)
	j.stats.Add(p.stats)
	p.account.addTo(&j.account.Account)
	j.readBodies(&p.bodies)
	return true
}

// again reads the pieces and what is behind them in one piece.
func (j *job) again(pieces []*piece, s *otlp.Splitter, form otlp.Form) error {
	var readers []io.Reader
	for _, p := range pieces {
		<-p.done
		j.gauge.add(-p.rows)
		readers = append(readers, bytes.NewReader(p.chunk.Data))
	}
	rest, _ := s.Rest()
	return j.whole(io.MultiReader(append(readers, rest)...), form, pieces[0].chunk.At)
}

// piece is one chunk and what it came to.
type piece struct {
	chunk   otlp.Chunk
	set     *table.Set
	bodies  bodies
	account account
	stats   otlp.Stats
	clean   bool
	gauge   *gauge
	rows    int64 // bytes that the gauge has of it
	done    chan struct{}
}

func (p *piece) read(source string, form otlp.Form, keepText bool) {
	defer close(p.done)
	p.set = table.NewSet()
	d := otlp.NewDecoderWith(p.set, &p.account.Account, source, otlp.Options{KeepText: keepText, Line: p.bodies.collect(p.set)})
	defer d.Close()
	p.clean = d.ReadChunk(p.chunk, form)
	p.stats = d.Stats()
	if !p.clean {
		p.set = nil
	}
	p.rows = p.gauge.addSet(p.set)
}

func (p *piece) finished() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
