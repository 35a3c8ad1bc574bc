// Package world draws the synthetic world that every lesson looks things up in: products (ASINs) in categories, and
// the creatives that advertise them.
//
// The world of a day is a pure function of its Config and the day. Nothing is stored and nothing is carried over from
// the day before: every category, product and creative has random streams of its own, found from the seed, its number
// and the day, so the world of any day can be drawn at once, in any order, on any number of cores. It is the same
// world for everyone. Only integers and raw 64-bit draws decide it, because floating-point results differ between
// architectures that fuse a multiplication with an addition and those that do not, and it knows neither clock nor time
// zone. Fingerprint is how two programs make sure that they speak of the same world.
//
// Each thing is a Vector, and similar things point the same way. Categories keep apart; products and creatives lie
// around the centre of their category, some close to it and some far. Products drift around a home of their own: of the
// steps that lead from there to where a product lies, each day one is new and one is forgotten, so that a lifetime of
// drift spreads the world no wider than a week. Creatives are added daily, and one that is brand new advertises no
// product yet.
//
// The spreads were chosen so that a default world behaves like the one in the original write-up: about 277,000 relevant
// pairs on FirstDay with a threshold of 0.6, some 2% more each day, and about 2% of them left with a threshold of 0.95.
// That holds for a default world of any seed, not for other sizes. Which pairs are relevant the world does not say;
// that is the batch's work.
package world

import "fmt"

// Config says which world to draw: the seed of all chance in it, and the sizes.
type Config struct {
	Seed       uint64
	ASINs      int // number of products, the same every day; 1 to 1,000,000,000
	Categories int // number of categories, the same every day; at least 1
	Creatives  int // number of creatives on FirstDay, 1 to 1,000,000,000; see CreativesOn for other days
}

// Default returns the sizes that the lessons use: 10,000 ASINs in 50 categories, 1,000 creatives on FirstDay.
func Default(seed uint64) Config {
	return Config{Seed: seed, ASINs: 10_000, Categories: 50, Creatives: 1_000}
}

// World is the world of one day. It never changes, so any number of goroutines may read it.
type World struct {
	config      Config
	day         Day
	centres     []Vector
	asins       []Vector
	creatives   []creative
	fingerprint string
}

// New draws the world of a day. Sizes outside the bounds that Config gives are a programming error, and so is a day
// that did not come from ParseDay: New panics.
func New(config Config, day Day) *World {
	config.check()
	d := draws{seed: config.Seed, day: day.Since(FirstDay)}
	w := &World{config: config, day: day, centres: d.centres(config.Categories)}
	w.asins = d.asins(config, w.centres)
	w.creatives = d.creatives(config, w.centres)
	w.fingerprint = w.hash()
	return w
}

// Day returns the day whose world it is.
func (w *World) Day() Day { return w.day }

func (c Config) check() {
	if c.ASINs < 1 || c.ASINs > maxASINs || c.Categories < 1 || c.Creatives < 1 || c.Creatives > maxCreatives {
		panic(fmt.Sprintf("world: no world has the sizes of %+v", c))
	}
}
