package critical

import (
	"strconv"
	"strings"
)

// Attributes that hold gRPC's code, as a number or by its name. The first was first, and
// the others are the later names of semantic conventions and Envoy's.
const grpcStatus = "rpc.grpc.status_code"

var grpcKeys = []string{grpcStatus, "rpc.response.status_code", "rpc.status_code", "grpc.status_code"}

// Codes of gRPC that are told from the others, which are failures; grpcNone is no code.
const (
	grpcNone      = -1
	grpcOK        = 0
	grpcCancelled = 1
	grpcDeadline  = 4
)

// grpcNames are the names of gRPC's codes, by number, as grpcCodeOf spells them.
var grpcNames = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALIDARGUMENT", "DEADLINEEXCEEDED", "NOTFOUND", "ALREADYEXISTS", "PERMISSIONDENIED",
	"RESOURCEEXHAUSTED", "FAILEDPRECONDITION", "ABORTED", "OUTOFRANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATALOSS", "UNAUTHENTICATED",
}

// grpcCodeOf reads a code of gRPC that was written as a number or by its name, in any case,
// with or without underscores, and with one l or two; grpcNone for any other text.
func grpcCodeOf(text string) int {
	if len(text) > len("FAILED_PRECONDITION") { // no name is longer
		return grpcNone
	}
	name := strings.ReplaceAll(strings.ToUpper(text), "_", "")
	if name == "CANCELED" {
		return grpcCancelled
	}
	for code, known := range grpcNames {
		if name == known || text == strconv.Itoa(code) {
			return code
		}
	}
	return grpcNone
}
