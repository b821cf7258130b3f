package logs

import (
	"fmt"
	"strings"

	"github.com/tailpath/tailpath/cmd/lab/simulate"
)

// Sizes in bytes: a token of a stream is one event with its JSON around it, one of a
// response in one message a few letters.
const (
	requestBytes  = 180
	promptBytes   = 4
	eventBytes    = 230
	responseBytes = 320
	outputBytes   = 5
	headerBytes   = 150
)

// publicHost is the name under which clients know the gateway.
const publicHost = "llm.example"

// gatewayEnd is when the gateway was done with a visit and wrote its line: not before the
// last byte has come from the server, even where its span ends with the headers.
func gatewayEnd(v *simulate.Visit) int64 {
	if v.GatewayEnd == 0 {
		return v.AbortedAt
	}
	return max(v.GatewayEnd, v.UpstreamEnd)
}

// upstreamEnd is when the gateway was done with the server, 0 if it never asked it.
func upstreamEnd(v *simulate.Visit) int64 {
	if v.UpstreamStart > 0 && v.UpstreamEnd == 0 {
		return gatewayEnd(v)
	}
	return v.UpstreamEnd
}

// left reports whether the client went away before the gateway was done, which is what 499
// stands for.
func left(v *simulate.Visit) bool { return v.Status == 499 }

// answered is the status of the server's own response. One whose body was not waited for
// had begun as a good one.
func answered(v *simulate.Visit) int {
	if left(v) {
		return 200
	}
	return v.Status
}

// gatewayView is what the gateway saw of the visits that its log has a line for. Of a
// request that two servers serve it logs one line, and what it waits for begins with the
// first of them that it asked.
func gatewayView(visits []*simulate.Visit) []*simulate.Visit {
	type attempt struct{ request, attempt int }
	prefills := make(map[attempt]*simulate.Visit)
	for _, v := range visits {
		if v.Role == simulate.RolePrefill {
			prefills[attempt{v.Request, v.Attempt}] = v
		}
	}
	var out []*simulate.Visit
	for _, v := range visits {
		if v.Role == simulate.RolePrefill {
			continue
		}
		if leg := prefills[attempt{v.Request, v.Attempt}]; leg != nil && leg.UpstreamStart > 0 {
			whole := *v
			whole.UpstreamStart, whole.Connected = leg.UpstreamStart, leg.Connected
			if v.UpstreamStart == 0 {
				whole.ServerAddr, whole.Replica = leg.ServerAddr, leg.Replica
			}
			v = &whole
		}
		out = append(out, v)
	}
	return out
}

// clientIP is the address of the client without its port.
func clientIP(v *simulate.Visit) string {
	host, _, _ := strings.Cut(v.ClientAddr, ":")
	return host
}

// traceparent is the header as it reached the gateway.
func traceparent(v *simulate.Visit) string {
	return fmt.Sprintf("00-%x-%x-01", v.TraceID, v.CallerSpan)
}

// userAgent is what the client calls itself.
func userAgent(v *simulate.Visit) string {
	if v.GRPC {
		return "grpc-go/1.75.0"
	}
	return "Go-http-client/2.0"
}

// bytesIn and bytesOut are the sizes of the bodies.
func bytesIn(v *simulate.Visit) int { return requestBytes + promptBytes*v.PromptTokens }

func bytesOut(v *simulate.Visit) int {
	switch {
	case v.FirstByte == 0:
		return 0
	case v.Streaming:
		return eventBytes * v.OutputTokens
	}
	return responseBytes + outputBytes*v.OutputTokens
}
