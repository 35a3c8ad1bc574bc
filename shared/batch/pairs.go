package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/world"
)

// Pair is a relevant pair: an ASIN and a creative, by their numbers in the world, and the score in thousandths.
type Pair struct {
	ASIN     int32
	Creative int32
	Score    world.Score
}

// Pairs are the relevant pairs of one world and threshold, sorted by ASIN id and then by creative id as text, where
// cr-10 comes before cr-9: the order in which a database with text keys stores them. They never change.
type Pairs struct {
	world     *world.World
	threshold world.Score
	pairs     []Pair
	starts    []int // pairs[starts[i]:starts[i+1]] are those of ASIN i
}

func newPairs(w *world.World, threshold world.Score, tasks [][]Pair) *Pairs {
	total := 0
	for _, task := range tasks {
		total += len(task)
	}
	p := &Pairs{world: w, threshold: threshold, pairs: make([]Pair, 0, total), starts: make([]int, w.ASINs()+1)}
	for _, task := range tasks {
		p.pairs = append(p.pairs, task...)
	}
	for _, pair := range p.pairs {
		p.starts[pair.ASIN+1]++
	}
	for i := range w.ASINs() {
		p.starts[i+1] += p.starts[i]
	}
	return p
}

// World returns the world that was scored.
func (p *Pairs) World() *world.World { return p.world }

// Threshold returns the lowest score that a pair may have.
func (p *Pairs) Threshold() world.Score { return p.threshold }

// Len returns the number of pairs.
func (p *Pairs) Len() int { return len(p.pairs) }

// At returns pair i in sorted order, 0 <= i < Len.
func (p *Pairs) At(i int) Pair { return p.pairs[i] }

// Of returns the pairs of one ASIN, which name its relevant creatives. The caller must not change them.
func (p *Pairs) Of(asin int) []Pair { return p.pairs[p.starts[asin]:p.starts[asin+1]:p.starts[asin+1]] }

// Rows yields the pairs as a store keeps them, in sorted order.
func (p *Pairs) Rows() iter.Seq[store.Row] {
	return func(yield func(store.Row) bool) {
		creatives := make([]string, p.world.Creatives())
		for j := range creatives {
			creatives[j] = p.world.Creative(j)
		}
		for asin := range p.world.ASINs() {
			id := p.world.ASIN(asin)
			for _, pair := range p.Of(asin) {
				if !yield(store.Row{ASIN: id, Creative: creatives[pair.Creative], Score: pair.Score}) {
					return
				}
			}
		}
	}
}

// Fingerprint returns the SHA-256, as 64 hexadecimal digits, of one line for each row: "B000000042 cr-179 0.935\n".
// It covers the content and nothing else, so two days with the same rows have the same fingerprint.
func (p *Pairs) Fingerprint() string {
	hash := sha256.New()
	var line []byte
	for row := range p.Rows() {
		line = append(line, row.ASIN...)
		line = append(append(line, ' '), row.Creative...)
		line = append(row.Score.Append(append(line, ' ')), '\n')
		if len(line) >= 1<<14 {
			hash.Write(line)
			line = line[:0]
		}
	}
	hash.Write(line)
	return hex.EncodeToString(hash.Sum(nil))
}
