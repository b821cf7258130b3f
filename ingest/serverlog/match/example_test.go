package match_test

import (
	"fmt"

	"github.com/tailpath/tailpath/ingest/serverlog/match"
)

func ExamplePattern() {
	slots := match.NewSlots()
	m, _, err := match.Pattern(`{time:datetime} took={took:ms}{? key={key}?} status={status:int}`, slots, []string{"-"})
	if err != nil {
		fmt.Println(err)
		return
	}
	took, _ := slots.Lookup("took")
	status, _ := slots.Lookup("status")
	values := slots.NewValues()
	for _, line := range []string{
		"2026-03-02 07:30:00,250 took=12.5 status=200",
		"2026-03-02 07:30:01,000 took=- key=a b status=503",
		"2026-03-02 07:30:02,000 took=slow status=200",
	} {
		match.Reset(values)
		if !m.Match([]byte(line), values) {
			name, place, _ := m.Near([]byte(line))
			fmt.Printf("cannot read %s at byte %d\n", name, place)
			continue
		}
		fmt.Println(values[took].Kind, values[took].Int, "ns,", values[status].Int)
	}
	// Output:
	// duration 12500000 ns, 200
	// none 0 ns, 503
	// cannot read took at byte 29
}

func ExampleJSON() {
	slots := match.NewSlots()
	m, err := match.JSON("", []match.Field{
		{Name: "busy", Path: "time.busy_us", Type: match.TypeUS},
		{Name: "first", Path: "tries.0.ip"},
	}, slots, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	values := slots.NewValues()
	if m.Match([]byte(`{"tries": [{"ip": "10.0.1.5"}], "time.busy_us": 9213}`), values) {
		fmt.Printf("%d ns, %s\n", values[0].Int, values[1].Text)
	}
	// Output: 9213000 ns, 10.0.1.5
}

func ExamplePython() {
	slots := match.NewSlots()
	m, err := match.Python("Finish: ", []match.Field{
		{Name: "rid", Path: "obj.rid"},
		{Name: "queue", Path: "out.meta_info.queue_time", Type: match.TypeS},
	}, slots, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	values := slots.NewValues()
	if m.Match([]byte(`Finish: obj=Req(rid='a', text='rid=b, {'), out={'meta_info': {'queue_time': 0.60411}}`), values) {
		fmt.Printf("%s %d ns\n", values[0].Text, values[1].Int)
	}
	// Output: a 604110000 ns
}
