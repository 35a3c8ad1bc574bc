package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/relevance-lab/shared/world"
)

// An API looks for a new version several times a second and loads it in some 50 ms; a machine that is busy with other
// things gets a hundred times that.
const (
	followLimit = 20 * time.Second
	followEvery = 20 * time.Millisecond
)

// Health is what GET /healthz tells about the version that is served.
type Health struct {
	Version world.Day `json:"version"`
	Build   string    `json:"build"`
	Rows    int       `json:"rows"`
}

// Health asks which version the API serves. An API that has none is an error.
func (c Client) Health(ctx context.Context) (Health, error) {
	text, err := c.call(ctx, http.MethodGet, "/healthz", nil)
	if err != nil {
		return Health{}, err
	}
	var health Health
	if err := json.Unmarshal(text, &health); err != nil {
		return Health{}, fmt.Errorf("%s/healthz: %w; is it the relevance API?", c.URL, err)
	}
	return health, nil
}

// Follow waits until the API serves the build, for at most 20 seconds.
func (c Client) Follow(ctx context.Context, build string) (Health, error) {
	limited, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	last := errors.New("it did not answer")
	for {
		health, err := c.Health(limited)
		switch {
		case err == nil && health.Build == build:
			return health, nil
		case err == nil:
			last = fmt.Errorf("it serves %s", health.Build)
		case limited.Err() == nil:
			last = err
		}
		select {
		case <-ticker.C:
		case <-limited.Done():
			if ctx.Err() != nil {
				return Health{}, ctx.Err()
			}
			return Health{}, fmt.Errorf("the API at %s does not serve %s after %s: %w", c.URL, build, followLimit, last)
		}
	}
}
