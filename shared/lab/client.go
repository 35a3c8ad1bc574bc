package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Client asks an API a few questions, one at a time. For many at once there is the load generator.
type Client struct {
	URL string // http://127.0.0.1:8000
}

// answerLimit bounds one call; the API itself answers within its database's time budget.
const answerLimit = 5 * time.Second

// Layers is the part of /metrics that tells where lookups ended.
type Layers struct {
	Version      string `json:"version"`
	Requests     int    `json:"requests"`
	Lookups      int    `json:"lookups"`
	BloomNo      int    `json:"bloom_no"`
	CacheHits    int    `json:"cache_hits"`
	DBReads      int    `json:"db_reads"`
	DBKeys       int    `json:"db_keys"`
	DegradedKeys int    `json:"degraded_keys,omitempty"`
}

// Ask sends the question and returns the answer's text.
func (c Client) Ask(ctx context.Context, question []byte) (string, error) {
	answer, err := c.call(ctx, http.MethodPost, "/relevance", question)
	return string(bytes.TrimSpace(answer)), err
}

// Reset sets the server's counters to zero.
func (c Client) Reset(ctx context.Context) error {
	_, err := c.call(ctx, http.MethodPost, "/metrics/reset", nil)
	return err
}

// Layers reads what each layer has done since the last reset.
func (c Client) Layers(ctx context.Context) (Layers, error) {
	text, err := c.call(ctx, http.MethodGet, "/metrics", nil)
	if err != nil {
		return Layers{}, err
	}
	var layers Layers
	if err := json.Unmarshal(text, &layers); err != nil {
		return Layers{}, fmt.Errorf("%s/metrics: %w; is it the relevance API?", c.URL, err)
	}
	return layers, nil
}

func (c Client) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w; is the API running? start it with: go run ./steps/04-api", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s%s answered %s: %s", method, c.URL, path, response.Status, bytes.TrimSpace(text))
	}
	return text, err
}
