package main

// gpuCount returns what --gpus says of one set; 0 without the flag.
func (p *program) gpuCount() (int64, error) {
	switch list := p.flags.gpus; len(list) {
	case 0:
		return 0, nil
	case 1:
		return int64(list[0]), nil
	}
	return 0, p.tooManyGPUs("wants one number", "two are for tailpath compare, of BASE and of NEW")
}

// gpuCounts returns what --gpus says of BASE and of NEW: one number is of both. 0 without the
// flag.
func (p *program) gpuCounts() (counts [2]int64, err error) {
	switch list := p.flags.gpus; len(list) {
	case 0:
		return counts, nil
	case 1:
		return [2]int64{int64(list[0]), int64(list[0])}, nil
	case 2:
		return [2]int64{int64(list[0]), int64(list[1])}, nil
	}
	return counts, p.tooManyGPUs("wants one number or two", "such as --gpus 8 for both, or --gpus 8,4 for BASE and NEW")
}

func (p *program) tooManyGPUs(what, hint string) error {
	return usage("--gpus "+(&numbers{at: &p.flags.gpus}).String(), what, hint)
}
