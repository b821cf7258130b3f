package critical

import (
	"context"
	"strings"
	"testing"

	"github.com/tailpath/tailpath/ingest/serverlog"
	"github.com/tailpath/tailpath/ingest/table"
)

// TestAbortedRecords: what a reader of logs found of who asked holds, whatever the status
// beside it is. The message by which it is told is the readers' own.
func TestAbortedRecords(t *testing.T) {
	alb := func(status string) string {
		return `https 2026-08-20T12:00:08.040000Z app/llm/0123456789abcdef 192.0.2.11:51900 192.0.2.50:8000 0.001 7.5 0.001 ` + status + ` - 1010 200 "POST https://llm.example:443/v1/chat/completions HTTP/1.1" "client/1.0" TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:elasticloadbalancing:eu-west-1:000000000000:targetgroup/llm/0 "Root=1-66c48680-0123456789abcdef01234567" "llm.example" "arn:aws:acm:eu-west-1:000000000000:certificate/0" 0 2026-08-20T12:00:00.001000Z "forward" "-" "-" "-" "-" "-" "-"`
	}
	haproxy := func(status, flags string) string {
		return `192.0.2.10:40001 [20/Aug/2026:12:00:00.101] front pool/srv1 0/12/1/602/2750 ` + status + ` 9426 - - ` + flags + ` 9/9/8/3/0 0/2 "POST /v1/chat/completions HTTP/1.1"`
	}
	for _, c := range []struct {
		name, line string
		want       bool
	}{
		{"ALB 460", alb("460"), true},
		{"ALB 408", alb("408"), false},
		{"ALB 200", alb("200"), false},
		{"HAProxy CH", haproxy("503", "CH--"), true},
		{"HAProxy sH", haproxy("504", "sH--"), false},
	} {
		set := table.NewSet()
		d := serverlog.NewDecoder(set, &table.Account{}, "log", serverlog.Options{Year: 2026})
		if err := d.Read(strings.NewReader(c.line+"\n"), serverlog.Start{Line: 1}); err != nil {
			t.Fatal(err)
		}
		set.Canonicalize()
		if err := NewBuilder(set, nil, Options{}).Build(context.Background()); err != nil {
			t.Fatal(err)
		}
		if q := &set.Requests; q.Len() != 1 || q.Aborted[0] != c.want {
			t.Errorf("%s: %d requests, aborted %v, want %v", c.name, q.Len(), q.Aborted, c.want)
		}
	}
}
