package analyze

import (
	"github.com/tailpath/tailpath/analyze/filter"
	"github.com/tailpath/tailpath/analyze/stat"
)

// ParseBands reads bands for [Options.Bands] as flags spell them, such as p0-50,50-100. What is
// wrong is a [filter.Error]; see [filter.ParseBands].
func ParseBands(text string) ([]Band, error) {
	list, err := filter.ParseBands(text)
	if err != nil {
		return nil, err
	}
	bands := make([]Band, len(list))
	for i, b := range list {
		bands[i] = Band{stat.Prob(b.From), stat.Prob(b.To)}
	}
	return bands, nil
}
