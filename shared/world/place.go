package world

// The place of a thing is the centre of its category plus a sum of uniform steps, which is bell-shaped and bounded.
// homeSteps of them are a thing's own for good. The others belong to the last driftDays days, so that a product drifts
// around its home: each day one of its 24 steps is new and one is forgotten.
const (
	homeSteps = 16
	driftDays = 8
)

// stepsLength is the root mean square length of such a sum: sqrt(16 dimensions x 24 steps x 65536^2/12).
const stepsLength = 370_727

// The spread of a thing is how far its steps take it from its centre (root mean square), in thousandths of the
// centre's length. Some products are typical of their category and some are odd; creatives say clearly what they are
// about. Chosen by trial for the figures in the package comment.
const (
	minProductSpread  = 380
	maxProductSpread  = 1000
	minCreativeSpread = 200
	maxCreativeSpread = 400
)

// place draws where a product or a creative lies on the day. A creative does not drift: it says the same every day.
func (d draws) place(of kind, index int, centre *Vector) Vector {
	pcg := d.stream(of, index, always)
	var sum [Dimensions]int64
	for range homeSteps {
		step(&pcg, &sum)
	}
	var spread int64
	if of == kindASIN {
		spread = int64(minProductSpread + below(&pcg, maxProductSpread-minProductSpread+1))
		for ago := range driftDays {
			today := d.stream(of, index, d.day-ago)
			step(&today, &sum)
		}
	} else {
		spread = int64(minCreativeSpread + below(&pcg, maxCreativeSpread-minCreativeSpread+1))
		for range driftDays {
			step(&pcg, &sum)
		}
	}
	for i := range sum {
		sum[i] = int64(centre[i])*1000 + sum[i]*length*spread/stepsLength
	}
	return normalise(&sum)
}
