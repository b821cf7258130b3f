package main

import "testing"

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "60000": 60000, "60000B": 60000, "500KB": 500_000, "500kB": 500_000, "2MB": 2_000_000, "2mb": 2_000_000, "2M": 2_000_000,
		"4GB": 4e9, "4 GB": 4e9, " 4GB ": 4e9, "1TB": 1e12, "0.5k": 500, "1.5GiB": 3 << 29, "512MiB": 512 << 20, "1KiB": 1024, "1TiB": 1 << 40,
		"0.0015KB": 1, "2.3GB": 2_300_000_000, "9223372036854775807": 1<<63 - 1,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " ", "0", "0GB", "0.0001KB", "-1", "+1", "MB", "4 XB", "4  GB", "4GBs", "1e9", "1_000", "1,5GB", ".5GB", "1.GB", "4GB 2MB", "٤GB",
		"9223372036854775808", "99999999999999999999TB", "123456789012345678901",
	} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
