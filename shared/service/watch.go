package service

import (
	"context"
	"errors"
	"time"

	"github.com/dustin/go-humanize"

	"example.com/relevance-lab/shared/release"
)

// A look is a read of one small file. A build that could not be loaded is tried again, but not at every look, because
// that reads all of its files.
const (
	lookEvery  = 250 * time.Millisecond
	retryFirst = time.Second
	retryMost  = 30 * time.Second
)

// watcher makes the live version the served one.
type watcher struct {
	service *Service
	build   string // served now
	problem string // told last
	failed  string // the build that could not be loaded
	retry   time.Time
	wait    time.Duration
}

// run looks until ctx ends.
func (w *watcher) run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			w.look(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// look loads the live build when it is not the one that is served. On a failure the service goes on with the version
// it has. A problem is told and counted once, until another one or a success comes between.
func (w *watcher) look(ctx context.Context) {
	live, err := w.service.source.Live(ctx)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		w.tell(err)
		return
	case live == w.build:
		w.problem, w.failed = "", ""
		return
	case live == w.failed && time.Now().Before(w.retry):
		return
	}
	version, err := w.service.source.Load(ctx)
	if err != nil {
		w.postpone(live)
		w.tell(err)
		return
	}
	w.service.serve(version)
	w.build, w.problem, w.failed = version.Manifest.Build, "", ""
	w.service.voice.say("serving version %s (%s rows)", version.Manifest.Day, humanize.Comma(int64(version.Manifest.Rows)))
}

func (w *watcher) postpone(build string) {
	if w.failed != build {
		w.failed, w.wait = build, retryFirst/2
	}
	w.wait = min(2*w.wait, retryMost)
	w.retry = time.Now().Add(w.wait)
}

func (w *watcher) tell(err error) {
	if w.problem == err.Error() {
		return
	}
	w.problem = err.Error()
	voice := w.service.voice
	switch {
	case w.build != "":
		w.service.tally.failed.Add(1)
		voice.say("still serving %s: %v", w.build, err)
	case errors.Is(err, release.ErrNoVersion):
		voice.say("%v", err)
	default:
		w.service.tally.failed.Add(1)
		voice.say("no data version loaded yet: %v", err)
	}
}
