package sqlite

import (
	"context"
	"database/sql/driver"
	"runtime"
)

const (
	// A read waits for the processor, seldom for the disk: more connections than cores would not read faster.
	minReaders = 4
	// cacheMiB is what all connections together keep of the file's pages, so a version takes the same memory on a
	// machine with many cores.
	cacheMiB = 32
)

// pool lends readers to one goroutine at a time, and opens each when it is first needed.
type pool struct {
	driver   driver.Driver
	source   string
	cacheKiB int
	free     chan *reader // nil stands for one that has still to be opened
}

func newPool(from driver.Driver, source string) *pool {
	size := max(minReaders, runtime.GOMAXPROCS(0))
	p := &pool{driver: from, source: source, cacheKiB: cacheMiB << 10 / size, free: make(chan *reader, size)}
	for range size {
		p.free <- nil
	}
	return p
}

// take waits for a free reader, no longer than ctx lasts. Each reader taken is given back.
func (p *pool) take(ctx context.Context) (*reader, error) {
	var r *reader
	select {
	case r = <-p.free:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r != nil {
		return r, nil
	}
	r, err := newReader(p.driver, p.source, p.cacheKiB)
	if err != nil {
		p.free <- nil
		return nil, err
	}
	return r, nil
}

func (p *pool) give(r *reader) { p.free <- r }

// close waits until each reader has been given back.
func (p *pool) close() error {
	var err error
	for range cap(p.free) {
		if r := <-p.free; r != nil {
			err = first(err, r.close())
		}
	}
	return err
}
