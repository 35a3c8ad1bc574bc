package load

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// secondsPerLine is how often progress shows where there is no terminal.
const secondsPerLine = 5

// progress tells a person who waits how the run goes.
type progress struct {
	out     io.Writer
	seconds int
	bar     *progressbar.ProgressBar // nil: plain lines
}

func newProgress(out io.Writer, config Config) *progress {
	p := &progress{out: out, seconds: int((config.Duration + time.Second - 1) / time.Second)}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.bar = progressbar.NewOptions(p.seconds,
			progressbar.OptionSetWriter(out),
			progressbar.OptionSetDescription("warming up"),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false),
		)
		_ = p.bar.RenderBlank()
	} else if config.Warmup > 0 {
		fmt.Fprintf(out, "warming up with %s requests\n", humanize.Comma(int64(config.Warmup)))
	}
	return p
}

// second shows a second that has ended.
func (p *progress) second(s Second) {
	if s.Second > p.seconds {
		return // the last answers of the last second
	}
	line := fmt.Sprintf("%s req/s, p99 %s ms, %s errors", humanize.Comma(s.OK), ms(s.P99), humanize.Comma(s.Errors))
	if p.bar != nil {
		p.bar.Describe(line)
		_ = p.bar.Set(s.Second)
		return
	}
	if s.Second%secondsPerLine == 0 && s.Second < p.seconds {
		fmt.Fprintf(p.out, "%d s of %d s: %s\n", s.Second, p.seconds, line)
	}
}

// end leaves the terminal's line empty.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
