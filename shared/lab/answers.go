package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/world"
)

// Answers makes a check that holds every score of every answer against the world of the version that the answer names:
// the day that is live at the start, or the next one. A creative that was asked about and has no score is wrong too,
// and so is a score for another one. A degraded answer may say 0 for what it did not look up in time.
func Answers(ctx context.Context, task load.Task) (load.Check, error) {
	var known truths
	for _, day := range []world.Day{task.Day, task.Day.Next()} {
		pairs, err := batch.Score(ctx, world.New(task.World, day), task.Threshold)
		if err != nil {
			return nil, err
		}
		known = append(known, newTruth(pairs))
	}
	return known.check, nil
}

// truths are those of the versions that an answer may name.
type truths []*truth

// check compares an answer with the one that the API has to give, as text. That takes 0.3 microseconds, and decoding
// it takes five, which at the rates of a closed loop would be a good part of the generator's CPU. An answer with
// another text may be right as well, so it is decoded.
func (known truths) check(asin string, creatives []string, body []byte) error {
	for _, truth := range known {
		if bytes.HasPrefix(body, truth.head) {
			var room [512]byte
			if bytes.Equal(body, truth.appendAnswer(room[:0], asin, creatives)) {
				return nil
			}
		}
	}
	return known.judge(asin, creatives, body)
}

func (known truths) judge(asin string, creatives []string, body []byte) error {
	var answer struct {
		Version  world.Day              `json:"version"`
		Scores   map[string]world.Score `json:"scores"`
		Degraded bool                   `json:"degraded"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	truth := known.of(answer.Version)
	if truth == nil {
		return fmt.Errorf("it names version %q, which was not published here", answer.Version)
	}
	if len(answer.Scores) != len(creatives) {
		return fmt.Errorf("it has %d scores for %d creatives", len(answer.Scores), len(creatives))
	}
	for _, creative := range creatives {
		got, found := answer.Scores[creative]
		if !found {
			return fmt.Errorf("it has no score for %s", creative)
		}
		if want := truth.score(asin, creative); got != want && (got != 0 || !answer.Degraded) {
			return fmt.Errorf("%s for %s and %s, and in version %s it is %s", got, asin, creative, answer.Version, want)
		}
	}
	return nil
}

func (known truths) of(day world.Day) *truth {
	for _, truth := range known {
		if truth.pairs.World().Day() == day {
			return truth
		}
	}
	return nil
}

// truth knows every score of one version.
type truth struct {
	pairs     *batch.Pairs
	asins     map[string]int
	creatives map[string]int32
	head      []byte // how an answer of this version begins
}

func newTruth(pairs *batch.Pairs) *truth {
	w := pairs.World()
	known := &truth{
		pairs: pairs, asins: make(map[string]int, w.ASINs()), creatives: make(map[string]int32, w.Creatives()),
		head: fmt.Appendf(nil, `{"version":%q,"scores":{`, w.Day()),
	}
	for i := range w.ASINs() {
		known.asins[w.ASIN(i)] = i
	}
	for i := range w.Creatives() {
		known.creatives[w.Creative(i)] = int32(i)
	}
	return known
}

// appendAnswer appends the answer as the API writes it.
func (t *truth) appendAnswer(dst []byte, asin string, creatives []string) []byte {
	dst = append(dst, t.head...)
	for i, creative := range creatives {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), creative...), `":`...)
		dst = t.score(asin, creative).Append(dst)
	}
	return append(dst, "}}"...)
}

// score is 0 where the pair is not relevant or not known.
func (t *truth) score(asin, creative string) world.Score {
	product, known := t.asins[asin]
	advert, knownToo := t.creatives[creative]
	if !known || !knownToo {
		return 0
	}
	for _, pair := range t.pairs.Of(product) {
		if pair.Creative == advert {
			return pair.Score
		}
	}
	return 0
}
