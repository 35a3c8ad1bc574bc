package load

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/relevance-lab/shared/batch"
)

// CreativesPerRequest is the number of distinct creatives that one request asks about.
const CreativesPerRequest = 5

// Request is one question: an ASIN and its candidate creatives, as indices into the world.
type Request struct {
	ASIN      int32
	Creatives [CreativesPerRequest]int32
}

// Traffic is what all streams of one run have in common. It may be used from many goroutines at once.
type Traffic struct {
	asins      []string
	creatives  []string
	popularity *popularity
	relevant   [][]int32 // relevant[asin] lists its relevant creatives, ascending
	seed       uint64
}

// NewTraffic prepares requests about the world of pairs. Which creatives are relevant is taken from pairs, whichever
// version the server moves to later. It fails when the world has too few creatives to make a request.
func NewTraffic(pairs *batch.Pairs, seed uint64) (*Traffic, error) {
	w := pairs.World()
	if w.ASINs() == 0 || w.Creatives() < CreativesPerRequest {
		return nil, fmt.Errorf("a world of %d ASINs and %d creatives is too small: a request needs %d different creatives",
			w.ASINs(), w.Creatives(), CreativesPerRequest)
	}
	t := &Traffic{
		asins:      make([]string, w.ASINs()),
		creatives:  make([]string, w.Creatives()),
		popularity: newPopularity(w.ASINs(), seed),
		relevant:   make([][]int32, w.ASINs()),
		seed:       seed,
	}
	for i := range t.creatives {
		t.creatives[i] = w.Creative(i)
	}
	for i := range t.asins {
		t.asins[i] = w.ASIN(i)
		of := pairs.Of(i)
		t.relevant[i] = make([]int32, len(of))
		for j, pair := range of {
			t.relevant[i][j] = pair.Creative
		}
		slices.Sort(t.relevant[i])
	}
	return t, nil
}

// Stream returns the endless sequence of requests of one worker. It depends on the seed, the version and the two
// numbers, and on nothing else. Its requests are independent of each other and all drawn alike, so any stretch of it
// shows the same shares once the server's cache is warm.
func (t *Traffic) Stream(process, worker int) *Stream {
	return &Stream{traffic: t, source: newSource(t.seed, uint64(process)<<32|uint64(uint32(worker)))}
}

// AppendBody appends the JSON body of a request to dst. It allocates nothing when dst has room.
func (t *Traffic) AppendBody(dst []byte, request *Request) []byte {
	dst = append(dst, `{"asin":"`...)
	dst = append(dst, t.asins[request.ASIN]...)
	dst = append(dst, `","creatives":[`...)
	for i, creative := range request.Creatives {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, t.creatives[creative]...)
		dst = append(dst, '"')
	}
	return append(dst, "]}"...)
}

// Names returns the ids that a request asks about.
func (t *Traffic) Names(request *Request) (asin string, creatives []string) {
	creatives = make([]string, len(request.Creatives))
	for i, creative := range request.Creatives {
		creatives[i] = t.creatives[creative]
	}
	return t.asins[request.ASIN], creatives
}

// Stream draws the requests of one worker. It is for one goroutine.
type Stream struct {
	traffic *Traffic
	source  *rand.PCG
}

// Next draws the next request. A coin for each creative decides whether it is to be a relevant one; the creative
// itself is then drawn from all that are left of that sort. Where a sort is used up, the other one stands in.
func (s *Stream) Next(request *Request) {
	request.ASIN = s.traffic.popularity.draw(s.source)
	relevant := s.traffic.relevant[request.ASIN]
	others := len(s.traffic.creatives) - len(relevant)
	coins := s.source.Uint64()
	drawnRelevant := 0
	for i := range request.Creatives {
		drawnOthers := i - drawnRelevant
		wantRelevant := coins>>i&1 == 1
		if wantRelevant && drawnRelevant == len(relevant) || !wantRelevant && drawnOthers == others {
			wantRelevant = !wantRelevant
		}
		if wantRelevant {
			drawnRelevant++
		}
		request.Creatives[i] = s.creative(request.Creatives[:i], relevant, wantRelevant)
	}
}

// creative draws until it meets a creative of the wanted sort that is not among the drawn ones; there is one.
func (s *Stream) creative(drawn, relevant []int32, wantRelevant bool) int32 {
	for {
		var creative int32
		if wantRelevant {
			creative = relevant[below(s.source, uint64(len(relevant)))]
		} else {
			creative = int32(below(s.source, uint64(len(s.traffic.creatives))))
			if _, found := slices.BinarySearch(relevant, creative); found {
				continue
			}
		}
		if !slices.Contains(drawn, creative) {
			return creative
		}
	}
}
