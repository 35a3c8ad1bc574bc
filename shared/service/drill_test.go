package service_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gopsutil "github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/world"
)

const mebibyte = 1 << 20

// Limits on the memory of a server process, resident. The test binary that plays the server is the larger one.
const (
	oneVersion  = 120 * mebibyte
	twoVersions = 180 * mebibyte
)

// TestPublishingUnderFullLoadDisturbsNobody publishes two days in turn while 32 clients ask without a pause. Six times
// in a small world; sixty times in the lab's own with DRILL=full, which takes some minutes.
func TestPublishingUnderFullLoadDisturbsNobody(t *testing.T) {
	config, publishes, early := small(), 6, 2
	if os.Getenv("DRILL") == "full" {
		config, publishes, early = world.Default(42), 60, 10
	}
	data := t.TempDir()
	expected := map[world.Day]*batch.Pairs{}
	for _, day := range []world.Day{world.FirstDay.Next(), world.FirstDay} {
		expected[day] = publish(t, data, config, day)
	}
	server := startProcess(t, data)
	crowd := disturb(t, server.url, expected)
	var before usage
	for swap := 1; swap <= publishes; swap++ {
		day := world.FirstDay.Plus(swap % 2)
		publish(t, data, config, day)
		require.Eventually(t, func() bool { return metrics(t, server.url).Version == day }, time.Minute, aMoment)
		if swap == early {
			before = server.usage(t)
		}
	}
	after := server.usage(t)
	crowd.stop()
	m := metrics(t, server.url)
	t.Logf("%d requests over %d swaps; after %d: %v; at the end: %v; degraded %d", crowd.asked.Load(), m.Swaps, early,
		before, after, crowd.degraded.Load())
	require.EqualValues(t, publishes, m.Swaps)
	require.Zero(t, m.FailedSwaps)
	require.Zero(t, m.Errors)
	require.Zero(t, m.Rejected)
	requireSum(t, m)
	require.EqualValues(t, crowd.asked.Load(), m.Requests)
	require.Equal(t, 2, len(crowd.seen()), "both days were answered from")
	require.Less(t, after.files, before.files+8, "open files grow")
	if !raceDetector {
		require.Less(t, after.memory, before.memory+before.memory/4, "memory grows")
		require.LessOrEqual(t, after.memory, uint64(twoVersions))
	}
}

func TestTheServersMemoryStaysInItsBounds(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("it publishes the whole world, and the race detector multiplies memory")
	}
	data := t.TempDir()
	expected := map[world.Day]*batch.Pairs{world.FirstDay: publish(t, data, world.Default(42), world.FirstDay)}
	server := startProcess(t, data)
	crowd := disturb(t, server.url, expected)
	require.Eventually(t, func() bool { return crowd.asked.Load() > 20_000 }, time.Minute, aMoment)
	one := server.usage(t).memory
	t.Logf("one version: %d MiB", one/mebibyte)
	require.LessOrEqual(t, one, uint64(oneVersion))

	crowd.stop()
	most := atomic.Uint64{}
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
				most.Store(max(most.Load(), server.memory()))
			}
		}
	})
	publish(t, data, world.Default(42), world.FirstDay.Next())
	require.Eventually(t, func() bool { return metrics(t, server.url).Swaps == 1 }, time.Minute, aMoment)
	close(ended)
	watch.Wait()
	t.Logf("two versions, during the swap: %d MiB", most.Load()/mebibyte)
	require.LessOrEqual(t, most.Load(), uint64(twoVersions))
}

// child is the API as a process of its own.
type child struct {
	url  string
	self *gopsutil.Process
}

type usage struct {
	files  int32 // 0 where the system does not tell
	memory uint64
}

func (u usage) String() string { return fmt.Sprintf("%d files, %d MiB", u.files, u.memory/mebibyte) }

func startProcess(t *testing.T, data string) *child {
	t.Helper()
	var told lines
	running, err := proc.Start("api", []string{data}, nil, &told, os.Stderr)
	require.NoError(t, err)
	t.Cleanup(func() {
		running.Stop()
		if err := running.Wait(); !raceDetector { // which waits for a second at the end, and that is too long
			require.NoError(t, err, "it drains and ends well")
		}
	})
	require.Eventually(t, func() bool { return listening.MatchString(told.String()) }, time.Minute, aMoment)
	self, err := gopsutil.NewProcess(int32(running.PID()))
	require.NoError(t, err)
	return &child{url: listening.FindStringSubmatch(told.String())[1], self: self}
}

func (p *child) usage(t *testing.T) usage {
	t.Helper()
	files, err := p.self.NumFDs()
	if err != nil {
		files = 0
	}
	return usage{files: files, memory: p.memory()}
}

func (p *child) memory() uint64 {
	memory, err := p.self.MemoryInfo()
	if err != nil {
		return 0
	}
	return memory.RSS
}

// crowd asks random questions without a pause, and compares each answer with the scores of the day that it names.
type crowd struct {
	asked, degraded atomic.Int64
	days            sync.Map
	ended           atomic.Bool
	lanes           sync.WaitGroup
}

func disturb(t *testing.T, url string, expected map[world.Day]*batch.Pairs) *crowd {
	t.Helper()
	scores := map[world.Day]map[string]map[string]world.Score{}
	var drawn *world.World
	for day, pairs := range expected {
		drawn = pairs.World()
		of := map[string]map[string]world.Score{}
		for row := range pairs.Rows() {
			if of[row.ASIN] == nil {
				of[row.ASIN] = map[string]world.Score{}
			}
			of[row.ASIN][row.Creative] = row.Score
		}
		scores[day] = of
	}
	c := &crowd{}
	client := &fasthttp.Client{MaxConnsPerHost: 64}
	for range 32 {
		c.lanes.Go(func() {
			for !c.ended.Load() {
				if !c.question(t, client, url+"/relevance", drawn, scores) {
					return
				}
			}
		})
	}
	t.Cleanup(func() {
		c.stop()
		client.CloseIdleConnections()
	})
	return c
}

func (c *crowd) question(t *testing.T, client *fasthttp.Client, url string, w *world.World,
	scores map[world.Day]map[string]map[string]world.Score) bool {
	asin, creatives := w.ASIN(rand.IntN(w.ASINs())), [5]string{}
	for i := range creatives {
		creatives[i] = w.Creative(rand.IntN(w.Creatives()))
	}
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI(url)
	request.Header.SetMethod(http.MethodPost)
	request.Header.SetContentType("application/json")
	body, _ := json.Marshal(map[string]any{"asin": asin, "creatives": creatives})
	request.SetBodyRaw(body)
	if err := client.Do(request, response); err != nil || response.StatusCode() != http.StatusOK {
		t.Errorf("%d %v %s", response.StatusCode(), err, response.Body())
		return false
	}
	c.asked.Add(1)
	var got struct {
		Version  world.Day
		Scores   map[string]world.Score
		Degraded bool
	}
	if err := json.Unmarshal(response.Body(), &got); err != nil {
		t.Errorf("%v: %s", err, response.Body())
		return false
	}
	c.days.Store(got.Version, true)
	if got.Degraded {
		c.degraded.Add(1)
	}
	day, known := scores[got.Version]
	for creative, score := range got.Scores {
		if want := day[asin][creative]; !known || score != want && !got.Degraded {
			t.Errorf("%s, %s: %s answers %v, want %v", asin, creative, got.Version, score, want)
			return false
		}
	}
	return true
}

// stop waits until nobody asks any more.
func (c *crowd) stop() {
	c.ended.Store(true)
	c.lanes.Wait()
}

func (c *crowd) seen() (days []any) {
	c.days.Range(func(day, _ any) bool {
		days = append(days, day)
		return true
	})
	return days
}
