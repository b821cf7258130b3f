package table_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/tailpath/tailpath/ingest/table"
)

func Example() {
	s := table.NewSet()
	scope := s.Scopes.Grow()
	s.Scopes.Service[scope] = s.Symbols.Intern("vllm")
	model := s.Symbols.Intern("gen_ai.request.model")
	for _, start := range []int64{1764428646_000000000, 1764428645_000000000} {
		i := s.Spans.Grow()
		s.Spans.Name[i] = s.Symbols.Intern("llm_request")
		s.Spans.Start[i], s.Spans.End[i] = start, start+250_000_000
		s.Spans.ScopeRow[i] = int32(scope)
		s.Spans.Attributes.Add(model, table.StringValue("llama"))
	}
	s.Canonicalize()

	tmp, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(tmp)
	dir := filepath.Join(tmp, "run")
	if err := table.WriteDir(dir, s, table.WithTool("example")); err != nil {
		fmt.Println(err)
		return
	}
	back, err := table.ReadDir(dir)
	if err != nil {
		fmt.Println(err)
		return
	}

	model, _ = back.Symbols.Lookup("gen_ai.request.model")
	for i := range back.Spans.Len() {
		v, _ := back.Spans.Attributes.Get(i, model)
		service := back.Scopes.Service[back.Spans.ScopeRow[i]]
		fmt.Println(back.Spans.Start[i], back.Symbols.Text(service), string(v.Text), back.Spans.TTFT[i] == table.Missing)
	}
	// Output:
	// 1764428645000000000 vllm llama true
	// 1764428646000000000 vllm llama true
}
