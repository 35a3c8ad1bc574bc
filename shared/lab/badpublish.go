package lab

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// BadPublish is the story of a publish of broken data: what was seen before it, after the gate's refusal, after --force
// and after the rollback. Its form is that of step 11's recorded run.
type BadPublish struct {
	Question Question `json:"question"`
	Before   Moment   `json:"before"`

	Said    string `json:"said"`        // what the batch printed when it met the gate
	Exit    int    `json:"exit_status"` // of that batch
	Refused Moment `json:"refused"`

	ForcedExit int    `json:"forced_exit_status"`
	Forced     Moment `json:"forced"`

	Back      Moment `json:"back"`
	PairsLost int    `json:"pairs_lost"` // relevant pairs of the live version that the broken one lacks
}

// refusal is the gate's sentence about the row count.
var refusal = regexp.MustCompile(`(?m)^refusing to publish: row count moved (\d+)% \(([\d,]+) -> ([\d,]+)\); ` +
	`rerun with --force if that is expected$`)

// Move is the figures of the gate's sentence: the percent, the rows of the live version and those of the refused one.
// ok is false where the batch did not say it.
func (b BadPublish) Move() (percent, live, refused float64, ok bool) {
	match := refusal.FindStringSubmatch(b.Said)
	if match == nil {
		return 0, 0, 0, false
	}
	var figures [3]float64
	for i := range figures {
		figures[i], _ = strconv.ParseFloat(strings.ReplaceAll(match[i+1], ",", ""), 64) // digits and commas
	}
	return figures[0], figures[1], figures[2], true
}

// Unmoved tells whether the refusal left everything as it was: the live build, the stored ones, and the answer.
func (b BadPublish) Unmoved() bool {
	return b.Refused.Live == b.Before.Live && slices.Equal(b.Refused.Builds, b.Before.Builds) &&
		b.Refused.Served == b.Before.Served && b.Refused.Answer == b.Before.Answer
}

// AfterRefusal says what act 1 left.
func (b BadPublish) AfterRefusal() string {
	switch {
	case b.Unmoved():
		return "-> nothing moved: the same live build, nothing beside it, the same answer"
	case b.Exit == 0:
		return fmt.Sprintf("-> the gate let it through: version %s is live", b.Refused.Served)
	}
	return "-> the live version moved although the batch failed"
}

// AfterForce says what act 2 took away.
func (b BadPublish) AfterForce() string {
	before, left := b.Before.Relevant(), b.Forced.Relevant()
	return fmt.Sprintf("-> %d of these %d scores are gone, with %s of all %s relevant pairs",
		before-left, before, humanize.Comma(int64(b.PairsLost)), humanize.Comma(int64(b.Before.Rows)))
}

// AfterRollback says what act 3 brought back.
func (b BadPublish) AfterRollback() string {
	if b.Back.Live == b.Before.Live && b.Back.Answer == b.Before.Answer {
		return "-> the build from before is live again, and the answer is the one from before"
	}
	return "-> what is live now is not what was live before"
}

// Numbers are the story's figures for the record. moved_percent is what the gate said.
func (b BadPublish) Numbers() map[string]float64 {
	percent, live, refused, _ := b.Move()
	return map[string]float64{
		"moved_percent": percent, "rows_live": live, "rows_refused": refused, "exit_status": float64(b.Exit),
		"live_unchanged": oneIf(b.Unmoved()), "rows_forced": float64(b.Forced.Rows), "pairs_lost": float64(b.PairsLost),
		"scores_before": float64(b.Before.Relevant()), "scores_forced": float64(b.Forced.Relevant()),
		"scores_back": float64(b.Back.Relevant()), "answer_back": oneIf(b.Back.Answer == b.Before.Answer),
	}
}

// Err says where the story did not come out as it should; nil where it did.
func (b BadPublish) Err() error {
	_, _, _, refused := b.Move()
	if b.Exit == 0 && !b.Unmoved() {
		return errors.New("the gate let the broken data through: its row count did not move far enough; " +
			"the story takes a higher --threshold")
	}
	var wrong []error
	for _, scene := range []struct {
		ok   bool
		what string
	}{
		{b.Exit == 1, fmt.Sprintf("the batch ended with exit status %d and not with 1", b.Exit)},
		{refused, "the gate did not refuse because of the row count"},
		{b.Unmoved(), "what is published and served did not stay as it was in act 1"},
		{b.ForcedExit == 0, fmt.Sprintf("with --force the batch ended with exit status %d", b.ForcedExit)},
		{b.Forced.Live != b.Before.Live, "with --force the live version did not change"},
		{b.Forced.Relevant() < b.Before.Relevant(), "the broken version answers no worse"},
		{b.Back.Live == b.Before.Live, "after the rollback another build is live than before"},
		{b.Back.Answer == b.Before.Answer, "after the rollback the answer is not the one from before"},
	} {
		if !scene.ok {
			wrong = append(wrong, errors.New(scene.what))
		}
	}
	return errors.Join(wrong...)
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
