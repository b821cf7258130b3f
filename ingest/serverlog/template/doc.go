// Package template answers one question: how is a gateway's log read, given the format
// string that its configuration has? It turns an nginx log_format, an Envoy access log
// format or a HAProxy log-format into a declaration of package format, with the same
// rules for spans and parts as the built-in formats of these programs.
//
// # Worked example
//
//	d, err := template.Parse(`$remote_addr [$time_local] "$request" $status rt=$request_time urt=$upstream_response_time msec=$msec`)
//	// d.Service is "nginx"; its one record reads
//	//   192.0.2.10 [20/Aug/2026:12:00:03 +0000] "POST /v1/completions HTTP/1.1" 200 rt=2.750 urt=2.748 msec=1787227203.512
//
// # What it accepts
//
//   - nginx: the string itself, or a whole directive log_format name escape=json '...' '...';
//     with $name and ${name}. A format that is a JSON object is read as one.
//   - Envoy: a string with %OPERATOR%, %OPERATOR(argument)% and %OPERATOR(argument):length%,
//     or a JSON or YAML object whose values are operators.
//   - HAProxy: the string itself, or a whole directive log-format "..."; with %name,
//     %{+Q}name, %[expression] and %{+json}o.
//   - All takes whole configurations too, and finds the formats in them.
//
// # What it guarantees
//
//   - A format that holds no duration of a request, or no time, is refused with what to
//     add to it. So is a time that is written in a way that cannot be read back.
//   - A variable that it does not know is read over and stored nowhere, as are all that
//     hold what a client wrote, except for method, path and request id.
//   - Variables with nothing between them are read as one; if a time or duration is one
//     of them, the format is refused.
//   - Errors tell the column, counted from 1 in bytes, or line and column.
//   - Every declaration compiles, and its record reads its own example.
package template
