package main

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
)

// sizeUnits are the units of a size, in bytes. Those without an i are decimal, as byteCount
// writes them.
var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

var sizeForm = regexp.MustCompile(`^(\d{1,20}(?:\.\d{1,20})?) ?([A-Za-z]*)$`)

var errSize = errors.New("want bytes, more than 0: a number with KB, MB, GB (1000 to a step), KiB, MiB, GiB (1024) or no unit, such as 500KB, 2MB or 1.5GiB")

// parseSize reads a number of bytes such as 60000, 2MB, 1.5GiB or "4 GB", of which the letters
// may be of either case. Part of a byte is left out. The error says what is wanted, without s.
func parseSize(s string) (int64, error) {
	parts := sizeForm.FindStringSubmatch(strings.TrimSpace(s))
	if parts == nil {
		return 0, errSize
	}
	unit, ok := sizeUnits[strings.ToLower(parts[2])]
	amount, good := new(big.Rat).SetString(parts[1])
	if !ok || !good {
		return 0, errSize
	}
	amount.Mul(amount, new(big.Rat).SetInt64(unit))
	bytes := new(big.Int).Quo(amount.Num(), amount.Denom())
	if bytes.Sign() <= 0 || bytes.Cmp(big.NewInt(math.MaxInt64)) > 0 {
		return 0, errSize
	}
	return bytes.Int64(), nil
}
