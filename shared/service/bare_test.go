package service_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

// BenchmarkAgainstABareHandler loads the API and a gin handler that decodes the same body and answers fixed JSON of
// the same size, in turns, with one generator in this process. The metric api/bare is the ratio of their requests per
// second; the generator's own cost is in both.
//
//	go test ./service -run xxx -bench Bare -benchtime 1x
func BenchmarkAgainstABareHandler(b *testing.B) {
	data := b.TempDir()
	pairs := publish(b, data, world.Default(42), world.FirstDay)
	bodies := traffic(pairs, 200_000)
	served := service.New(service.Default(), service.Disk(release.At(data)), io.Discard)
	api := start(b, served)
	bare := start(b, bareHandler())
	drive(b, api+"/relevance", bodies, time.Second) // fills the cache, opens the connections
	drive(b, bare+"/relevance", bodies, time.Second)
	b.ResetTimer()
	var ratios, cpu []float64
	for range b.N {
		for range 6 {
			theirs, theirCPU := drive(b, bare+"/relevance", bodies, time.Second)
			ours, ourCPU := drive(b, api+"/relevance", bodies, time.Second)
			b.Logf("bare %.0f req/s %.1f us, api %.0f req/s %.1f us, ratio %.3f, of CPU %.3f",
				theirs, theirCPU, ours, ourCPU, ours/theirs, theirCPU/ourCPU)
			ratios, cpu = append(ratios, ours/theirs), append(cpu, theirCPU/ourCPU)
		}
	}
	require.Zero(b, served.Metrics().Degraded, "answers without their read cost less")
	b.ReportMetric(median(ratios), "api/bare")
	b.ReportMetric(median(cpu), "api/bare-by-CPU")
}

func median(values []float64) float64 {
	sort.Float64s(values)
	return values[len(values)/2]
}

// bareHandler decodes the way a gin program usually does.
func bareHandler() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery())
	answer := []byte(`{"version":"2026-10-30","scores":{"cr-179":0.935,"cr-396":0.923,"cr-7":0.0,"cr-4":0.0,"cr-98":0.61}}`)
	router.POST("/relevance", func(c *gin.Context) {
		var question struct {
			ASIN      string   `json:"asin"`
			Creatives []string `json:"creatives"`
		}
		if err := c.ShouldBindJSON(&question); err != nil {
			c.AbortWithStatus(http.StatusBadRequest)
			return
		}
		c.Data(http.StatusOK, "application/json; charset=utf-8", answer)
	})
	return router
}

// drive sends the bodies over 64 connections, closed loop. It returns requests per second, and the CPU time of this
// process per request, in microseconds, which other processes on the machine disturb less.
func drive(t testing.TB, url string, bodies [][]byte, duration time.Duration) (perSecond, micros float64) {
	before := cpuSeconds(t)
	client := &fasthttp.Client{MaxConnsPerHost: 64}
	defer client.CloseIdleConnections()
	var next, done atomic.Int64
	next.Store(rand.Int64N(int64(len(bodies))))
	began := time.Now()
	var lanes sync.WaitGroup
	for range 64 {
		lanes.Go(func() {
			request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
			request.SetRequestURI(url)
			request.Header.SetMethod(http.MethodPost)
			request.Header.SetContentType("application/json")
			for time.Since(began) < duration {
				request.SetBodyRaw(bodies[next.Add(1)%int64(len(bodies))])
				if err := client.Do(request, response); err != nil || response.StatusCode() != http.StatusOK {
					t.Errorf("%v %s", err, response.Body())
					return
				}
				done.Add(1)
			}
		})
	}
	lanes.Wait()
	requests := float64(done.Load())
	return requests / time.Since(began).Seconds(), (cpuSeconds(t) - before) * 1e6 / requests
}

func cpuSeconds(t testing.TB) float64 {
	self, err := process.NewProcess(int32(os.Getpid()))
	require.NoError(t, err)
	times, err := self.Times()
	require.NoError(t, err)
	return times.User + times.System
}

// traffic is the default load: Zipf-skewed products, five creatives each, a coin for each whether it is relevant.
func traffic(pairs *batch.Pairs, n int) [][]byte {
	w, random := pairs.World(), rand.New(rand.NewPCG(1, 2))
	weights, total := make([]float64, w.ASINs()), 0.0
	for i := range weights {
		total += math.Pow(float64(i+1), -0.9)
		weights[i] = total
	}
	order := random.Perm(w.ASINs())
	bodies := make([][]byte, n)
	for i := range bodies {
		asin := order[min(sort.SearchFloat64s(weights, random.Float64()*total), w.ASINs()-1)]
		relevant, creatives := pairs.Of(asin), [5]string{}
		for j := range creatives {
			if len(relevant) > 0 && random.IntN(2) == 0 {
				creatives[j] = w.Creative(int(relevant[random.IntN(len(relevant))].Creative))
			} else {
				creatives[j] = w.Creative(random.IntN(w.Creatives()))
			}
		}
		bodies[i] = fmt.Appendf(nil, `{"asin":%q,"creatives":[%q,%q,%q,%q,%q]}`, w.ASIN(asin),
			creatives[0], creatives[1], creatives[2], creatives[3], creatives[4])
	}
	return bodies
}
