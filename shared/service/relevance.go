package service

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

// desk is the memory that one request works in. It is used again by the next one.
type desk struct {
	shard    *shard
	body     []byte
	question question
	lookup   lookup
	answer   []byte
}

// What a desk may keep for the next request: a few that were very large must not stay in memory for ever.
const keptBytes = 8 << 10

// shortAnswer is what net/http buffers whole, so that it sets Content-Length by itself and without allocating.
const shortAnswer = 1 << 10

var jsonType = []string{"application/json; charset=utf-8"}

// relevance answers POST /relevance.
func (s *Service) relevance(c *gin.Context) {
	began := time.Now()
	s.tally.inFlight.Add(1)
	defer s.tally.inFlight.Add(-1)
	d := s.desks.Get().(*desk)
	defer s.clear(d)

	var problem *problem
	if d.body, problem = readBody(c.Request, d.body); problem == nil {
		problem = d.question.parse(d.body)
	}
	if problem != nil {
		s.refuse(c, problem)
		return
	}
	snapshot := s.current.acquire()
	if snapshot == nil {
		s.refuse(c, unavailable)
		return
	}
	ended := s.answer(d, snapshot)
	d.shard.answered(ended, time.Since(began), d.lookup.dbTime) // first: whoever has the answer finds it counted

	header := c.Writer.Header()
	header["Content-Type"] = jsonType
	if len(d.answer) > shortAnswer {
		header["Content-Length"] = []string{strconv.Itoa(len(d.answer))}
	}
	_, _ = c.Writer.Write(d.answer) // fails when the client has gone, who then misses nothing
}

// answer makes the answer from one version, and is its user for so long: a client that is slow to take an answer does
// not keep a version open.
func (s *Service) answer(d *desk, snapshot *snapshot) counts {
	defer snapshot.release()
	d.lookup.ask(d.question.asin, d.question.creatives)
	ended := d.lookup.run(snapshot, s.config.Bloom, s.reads)
	if delay := s.config.DBDelay; delay > 0 && d.lookup.dbTime >= delay {
		ended.DBWaited = 1
	}
	d.answer = appendAnswer(d.answer[:0], snapshot.Manifest.Day, d.lookup.creatives, d.lookup.scores, ended.Degraded > 0)
	return ended
}

var unavailable = &problem{status: http.StatusServiceUnavailable, Message: noVersion}

// clear gives a desk back, without a hold on the strings of the request.
func (s *Service) clear(d *desk) {
	if cap(d.body) > keptBytes || cap(d.answer) > keptBytes {
		return
	}
	d.question.forget()
	d.lookup.forget()
	s.desks.Put(d)
}
