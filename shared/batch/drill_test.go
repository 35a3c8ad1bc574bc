package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

func TestMain(m *testing.M) {
	proc.Dispatch(proc.Role{Name: "batch", Run: play})
	os.Exit(m.Run())
}

// play is the real batch in a process of its own. Its arguments are the data folder, the day, the threshold in
// thousandths, and the number of ASINs.
func play(ctx context.Context, args []string) error {
	threshold, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	asins, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, err = batch.Run(ctx, batch.Options{Day: world.Day(args[1]), Threshold: world.Score(threshold), World: sized(asins),
		Data: args[0], Force: true, Program: "drill", Out: os.Stdout})
	return err
}

// sized is the default world at another size.
func sized(asins int) world.Config {
	return world.Config{Seed: 42, ASINs: asins, Categories: max(2, asins/200), Creatives: max(10, asins/10)}
}

type process struct {
	*proc.Process
	begun    chan struct{} // closed when the program works, and not only its runtime
	out, err bytes.Buffer
}

func start(t *testing.T, data string, day world.Day, threshold, asins int) *process {
	p := &process{begun: make(chan struct{})}
	var once sync.Once
	out := writer(func(text []byte) (int, error) {
		once.Do(func() { close(p.begun) })
		return p.out.Write(text)
	})
	var err error
	p.Process, err = proc.Start("batch", []string{data, string(day), strconv.Itoa(threshold), strconv.Itoa(asins)}, nil,
		out, &p.err)
	require.NoError(t, err)
	return p
}

type writer func(text []byte) (int, error)

func (w writer) Write(text []byte) (int, error) { return w(text) }

// kill ends the process as no program can prevent.
func (p *process) kill(t *testing.T) {
	if system, err := os.FindProcess(p.PID()); err == nil {
		_ = system.Kill() // it may have ended by itself
	}
	_ = p.Wait()
}

// A kill drill: the real batch is killed again and again, at instants spread over its whole run and at the signs of
// each of its steps. A reader pins the live version all the while.
func TestKilledAtAnyInstantTheLiveVersionServesAndTheNextRunWorks(t *testing.T) {
	kills, large := 20, 0
	if os.Getenv("DRILL") == "full" {
		kills, large = 200, 10
	}
	d := &drill{data: t.TempDir(), random: rand.New(rand.NewPCG(1, 2)), met: map[string]int{}}
	d.run(t, world.FirstDay, 400)
	stop := pinContinuously(t, release.At(d.data))
	d.kills(t, kills-large, 400)
	d.kills(t, large, 10_000)
	t.Logf("%d kills met: %v; %d pins meanwhile, none failed", kills, d.met, stop())
	assert.Positive(t, d.met["staging"])
	assert.Positive(t, d.met["live"])
}

type drill struct {
	data   string
	random *rand.Rand
	runs   int
	met    map[string]int // phases, and how many kills met them
}

// kills kills so many runs; half of them at an instant drawn from an equal share of the run, half at a sign.
func (d *drill) kills(t *testing.T, kills, asins int) {
	var whole time.Duration
	for i := range kills {
		if i%20 == 0 {
			whole = d.run(t, "2026-10-31", asins)
		}
		before, err := release.At(d.data).Builds()
		require.NoError(t, err)
		victim := d.start(t, "2026-11-01", asins)
		<-victim.begun
		if i%2 == 0 {
			share := (float64(i/2) + d.random.Float64()) / float64((kills+1)/2)
			waitFor(victim, time.Duration(share*float64(whole)), func() bool { return false })
		} else {
			waitFor(victim, time.Minute, signs(d.data, before[0].Build)[i/2%5])
		}
		victim.kill(t)
		d.met[phase(t, d.data, before[0].Build)]++
		d.recover(t)
	}
}

// start starts a run whose content is new every time.
func (d *drill) start(t *testing.T, day world.Day, asins int) *process {
	d.runs++
	return start(t, d.data, day, 500+d.runs%400, asins)
}

// run lets a run end and returns how long it worked.
func (d *drill) run(t *testing.T, day world.Day, asins int) time.Duration {
	p := d.start(t, day, asins)
	<-p.begun
	begun := time.Now()
	require.NoError(t, p.Wait(), p.err.String())
	return time.Since(begun)
}

// recover makes sure that the live version is whole, and that the next run succeeds and leaves nothing lying about.
func (d *drill) recover(t *testing.T) {
	dir := release.At(d.data)
	build, err := dir.Pin() // checks every file's checksum
	require.NoError(t, err)
	require.NoError(t, build.Close())
	d.runs++
	published, err := batch.Run(t.Context(), batch.Options{Day: "2026-10-30", Threshold: world.Score(500 + d.runs%400),
		World: sized(400), Data: d.data, Force: true, Out: io.Discard})
	require.NoError(t, err)
	now, err := dir.Current()
	require.NoError(t, err)
	require.Equal(t, published, now)
	require.Empty(t, strays(t, d.data))
}

// signs tell, from outside, how far a run has come: its stage is there, has a database, a manifest; its build is
// there; it is live. live is the build that was published last before.
func signs(data, live string) []func() bool {
	seen := func(pattern string) func() bool {
		return func() bool {
			found, err := filepath.Glob(filepath.Join(data, "versions", pattern))
			return err == nil && len(found) > 0
		}
	}
	return []func() bool{
		seen(".tmp-*"), seen(".tmp-*/scores.db"), seen(".tmp-*/manifest.json"),
		func() bool { builds, err := release.At(data).Builds(); return err == nil && builds[0].Build != live },
		func() bool { now, err := release.At(data).Current(); return err == nil && now.Build != live },
	}
}

// phase names what a kill left behind.
func phase(t *testing.T, data, before string) string {
	signs := signs(data, before)
	switch {
	case signs[4]():
		return "live"
	case signs[3]():
		return "placed, not live"
	case len(strays(t, data)) > 0:
		return "staging"
	}
	return "nothing written"
}

// waitFor waits until the process has ended, a sign is seen, or a time has passed. It looks without a pause: some
// steps take microseconds.
func waitFor(p *process, atMost time.Duration, sign func() bool) {
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline) && !sign(); {
		select {
		case <-p.Done():
			return
		default:
		}
	}
}

// pinContinuously pins the live version again and again until the returned function is called, which returns how often.
func pinContinuously(t *testing.T, dir release.Dir) (stop func() int64) {
	var pins atomic.Int64
	var reader sync.WaitGroup
	done := make(chan struct{})
	reader.Go(func() {
		for ticker := time.NewTicker(time.Millisecond); ; pins.Add(1) {
			select {
			case <-done:
				ticker.Stop()
				return
			case <-ticker.C:
			}
			build, err := dir.Pin()
			if assert.NoError(t, err) {
				assert.NoError(t, build.Close())
			}
		}
	})
	var once sync.Once
	stop = func() int64 {
		once.Do(func() { close(done); reader.Wait() })
		return pins.Load()
	}
	t.Cleanup(func() { stop() })
	return stop
}

func TestASecondBatchIsToldWhoIsAtWork(t *testing.T) {
	data := t.TempDir()
	publisher, err := release.At(data).Lock()
	require.NoError(t, err)
	late := start(t, data, world.FirstDay, 600, 400)
	require.Error(t, late.Wait())
	assert.Contains(t, late.err.String(), fmt.Sprintf("another publisher is at work (process %d, since ", os.Getpid()))
	assert.NotContains(t, late.out.String(), "scored")
	require.NoError(t, publisher.Close())
}

func TestTwoBatchesAtOnceNeverMix(t *testing.T) {
	data := t.TempDir()
	dir := release.At(data)
	for round := range 5 {
		one := start(t, data, "2026-10-30", 600+round, 400)
		two := start(t, data, "2026-10-31", 600+round, 400)
		errOne, errTwo := one.Wait(), two.Wait()
		require.True(t, errOne == nil || errTwo == nil, "%s %s", one.err.String(), two.err.String())
		for _, p := range []*process{one, two} {
			if p.err.Len() > 0 {
				require.Contains(t, p.err.String(), "another publisher is at work")
			}
		}
		build, err := dir.Pin()
		require.NoError(t, err)
		require.NoError(t, build.Close())
		require.Empty(t, strays(t, data))
	}
}
