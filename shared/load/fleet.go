package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"example.com/relevance-lab/shared/proc"
)

// runProcess starts one process of the generator, passes on what it measures and returns when it is gone.
func runProcess(ctx context.Context, task assignment, into *collection) error {
	name := fmt.Sprintf("load process %d of %d", task.Process+1, task.Config.Processes)
	arguments, err := json.Marshal(task)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	output, input := io.Pipe()
	child, err := proc.Start(roleName, []string{string(arguments)}, nil, input, os.Stderr)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer child.Stop()
	stop := context.AfterFunc(ctx, child.Stop)
	defer stop()
	go func() {
		<-child.Done()
		_ = input.Close()
	}()

	complete := false
	for lines := json.NewDecoder(output); ; {
		var line message
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = into.add(line)
		}
		if err != nil {
			_ = output.CloseWithError(err) // so that the process cannot block on a full pipe
			return fmt.Errorf("%s: %w", name, err)
		}
		complete = complete || line.Result != nil
	}
	if err := child.Wait(); err != nil {
		return fmt.Errorf("%s failed: %w", name, err)
	}
	if !complete {
		return fmt.Errorf("%s: %w", name, errEarly)
	}
	return nil
}

// collection merges what the processes measure.
type collection struct {
	config  Config
	show    *progress
	started time.Time

	machineBefore machineTime

	mu           sync.Mutex
	machineAfter machineTime
	latency      *hdrhistogram.Histogram // from the intended start
	actual       *hdrhistogram.Histogram // from the actual start
	pending      map[int]*pendingSecond  // seconds that some process has yet to report
	seconds      []Second
	results      []result
}

type pendingSecond struct {
	openSecond
	reports int
}

func newCollection(config Config, show *progress) *collection {
	return &collection{
		config: config, show: show,
		latency: newHistogram(), actual: newHistogram(), pending: map[int]*pendingSecond{},
	}
}

func (c *collection) add(line message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case line.Failure != "":
		return errors.New(line.Failure)
	case line.Second != nil:
		return c.addSecond(line.Second)
	case line.Result != nil:
		actual, err := decode(line.Result.Actual)
		if err != nil {
			return err
		}
		c.actual.Merge(actual)
		c.results = append(c.results, *line.Result)
	}
	return nil
}

// ended is called when a process is done. The last one's reading stands: what runs beside the load may take longer,
// and the machine's idle time after the load is not the load's.
func (c *collection) ended() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.machineAfter, err = readMachineTime()
	return err
}

func (c *collection) addSecond(second *secondMessage) error {
	latency, err := decode(second.Latency)
	if err != nil {
		return err
	}
	c.latency.Merge(latency)
	sum := c.pending[second.Number]
	if sum == nil {
		sum = &pendingSecond{openSecond: openSecond{number: second.Number, histogram: newHistogram()}}
		c.pending[second.Number] = sum
	}
	sum.ok += second.OK
	sum.errors += second.Errors
	sum.histogram.Merge(latency)
	sum.reports++
	if sum.reports == c.config.Processes {
		c.end(sum)
	}
	return nil
}

// end moves a second to the timeline.
func (c *collection) end(sum *pendingSecond) {
	delete(c.pending, sum.number)
	c.seconds = append(c.seconds, Second{
		Second: sum.number + 1, OK: sum.ok, Errors: sum.errors,
		P50: millis(sum.histogram.ValueAtQuantile(50)), P99: millis(sum.histogram.ValueAtQuantile(99)),
	})
	c.show.second(c.seconds[len(c.seconds)-1])
}
