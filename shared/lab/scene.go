package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// Scene is where something is published before an audience: a stage, the API that serves it, and a question that is
// asked again and again. All that happens is told on Out as a person at a terminal would see it.
type Scene struct {
	Stage    Stage
	API      Client
	Question Question
	Out      io.Writer
}

// Moment is what is published, what the API serves and what it answers, at one time.
type Moment struct {
	Live   string    `json:"live"`   // the build that current.json names
	Builds []string  `json:"builds"` // all that are stored, the one published last first
	Served world.Day `json:"served"` // the version that /healthz names
	Rows   int       `json:"rows"`   // of that version
	Answer string    `json:"answer"` // to the question, as a caller gets it
}

// Look waits until the API serves the live build, at most as long as Follow does, and asks it the question.
func (s Scene) Look(ctx context.Context) (Moment, error) {
	versions := release.At(s.Stage.Home.Data())
	live, err := versions.Current()
	if err != nil {
		return Moment{}, err
	}
	builds, err := versions.Builds()
	if err != nil {
		return Moment{}, err
	}
	health, err := s.API.Follow(ctx, live.Build)
	if err != nil {
		return Moment{}, err
	}
	body, err := json.Marshal(s.Question)
	if err != nil {
		return Moment{}, err
	}
	answer, err := s.API.Ask(ctx, body)
	if err != nil {
		return Moment{}, err
	}
	fmt.Fprintf(s.Out, "/healthz: version %s (%s rows)\n%s\n", health.Version, humanize.Comma(int64(health.Rows)), answer)
	moment := Moment{Live: live.Build, Served: health.Version, Rows: health.Rows, Answer: answer}
	for _, build := range builds {
		moment.Builds = append(moment.Builds, build.Build)
	}
	return moment, nil
}

// Publish runs the batch as Stage.Publish does and returns also what it printed.
func (s Scene) Publish(ctx context.Context, p Publish) (exit int, said string, err error) {
	fmt.Fprintf(s.Out, "$ %s\n", p.Command())
	var heard strings.Builder
	exit, err = s.Stage.Publish(ctx, p, io.MultiWriter(s.Out, &heard))
	if err == nil && exit != 0 {
		fmt.Fprintf(s.Out, "exit status %d\n", exit) // as go run says it
	}
	return exit, heard.String(), err
}

// Relevant counts the creatives that the answer gives a score above zero.
func (m Moment) Relevant() int {
	var answer struct {
		Scores map[string]float64 `json:"scores"`
	}
	_ = json.Unmarshal([]byte(m.Answer), &answer) // an answer of another form gives no score
	count := 0
	for _, score := range answer.Scores {
		if score > 0 {
			count++
		}
	}
	return count
}
