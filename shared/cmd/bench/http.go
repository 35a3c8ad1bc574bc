package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gin-gonic/gin"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

// loadSeconds is the length of one measured load. The default load of step 06 takes 12; a ratio of neighbours needs
// less.
const loadSeconds = 4

// bareAnswer is as long as the API's usual answer to five creatives.
const bareAnswer = `{"version":"2026-10-30",` +
	`"scores":{"cr-179":0.935,"cr-396":0.923,"cr-7":0.0,"cr-412":0.0,"cr-98":0.61}}`

// bare is the role of the server to compare with: a gin handler that decodes the same body in the usual way and answers
// fixed JSON. Its first argument is what it says on /healthz, so that the generator takes it for an API.
func bare() proc.Role {
	return proc.Role{Name: "bare", Run: func(ctx context.Context, args []string) error {
		gin.SetMode(gin.ReleaseMode)
		router := gin.New()
		router.Use(gin.Recovery())
		router.GET("/healthz", func(c *gin.Context) { c.Data(http.StatusOK, gin.MIMEJSON, []byte(args[0])) })
		router.POST("/relevance", func(c *gin.Context) {
			var question struct {
				ASIN      string   `json:"asin"`
				Creatives []string `json:"creatives"`
			}
			if err := c.ShouldBindJSON(&question); err != nil {
				c.AbortWithStatus(http.StatusBadRequest)
				return
			}
			c.Data(http.StatusOK, gin.MIMEJSON, []byte(bareAnswer))
		})
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		fmt.Printf("listening on http://%s\n", listener.Addr())
		server := &http.Server{Handler: router, ReadHeaderTimeout: 10 * time.Second}
		context.AfterFunc(ctx, func() { _ = server.Close() })
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}}
}

// httpRatios publishes a version and starts both servers. They end with this process.
func httpRatios(ctx context.Context, dir string) ([]ratio, error) {
	where := home.Home(filepath.Join(dir, "home"))
	published, err := batch.Run(ctx, batch.Options{
		Day: world.FirstDay, Threshold: lab.Threshold, World: world.Default(lab.DefaultSeed), Data: where.Data(),
		Out: io.Discard, Program: "bench",
	})
	if err != nil {
		return nil, err
	}
	api, err := lab.StartAPI(ctx, []string{home.Variable + "=" + string(where)}, io.Discard)
	if err != nil {
		return nil, err
	}
	comparison, err := lab.Start(ctx, "bare", []string{healthOf(published)}, nil, io.Discard)
	if err != nil {
		return nil, err
	}
	return []ratio{
		{
			name: "API under the default load / bare gin handler", unit: "req/s", goal: goal{atLeast: 0.70},
			a: side{"API", drive(api.URL)}, b: side{"bare handler", drive(comparison.URL)},
		},
		{
			name: "load generator / bombardier, 64 connections", unit: "req/s", goal: goal{atLeast: 0.80},
			a: side{"load generator on the bare handler", drive(comparison.URL)},
			b: side{"bombardier on the bare handler", bombard(comparison.URL)},
		},
	}, nil
}

func healthOf(m release.Manifest) string {
	text, err := json.Marshal(map[string]any{
		"status": "ok", "version": m.Day, "build": m.Build, "rows": m.Rows, "world": m.World, "seed": m.Seed,
		"threshold": m.Threshold,
	})
	if err != nil {
		panic(err) // a map of strings and numbers
	}
	return string(text)
}

// drive measures the requests per second of the default load.
func drive(url string) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		report, err := load.Run(ctx, load.Config{
			URLs: []string{url}, Duration: loadSeconds * time.Second, Processes: load.DefaultProcesses,
			Concurrency: load.DefaultConcurrency, Warmup: load.DefaultWarmup, Seed: lab.DefaultSeed,
		}, io.Discard)
		if err != nil {
			return 0, err
		}
		return report.PerSecond, report.Err()
	}
}

// bombard measures the requests per second that bombardier reaches with as many connections, all asking the same.
func bombard(url string) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		tool, err := bombardier()
		if err != nil {
			return 0, err
		}
		command := exec.CommandContext(ctx, tool, "-c", "64", "-d", fmt.Sprintf("%ds", loadSeconds), "-m", http.MethodPost,
			"-H", "Content-Type: application/json",
			"-b", `{"asin":"B000000042","creatives":["cr-179","cr-396","cr-7","cr-412","cr-98"]}`,
			"-p", "result", "-o", "json", url+"/relevance")
		text, err := command.Output()
		if err != nil {
			return 0, fmt.Errorf("bombardier: %w", err)
		}
		var told struct {
			Result struct {
				RPS struct{ Mean float64 } `json:"rps"`
				OK  int64                  `json:"req2xx"`
			} `json:"result"`
		}
		if err := json.Unmarshal(text, &told); err != nil {
			return 0, fmt.Errorf("bombardier printed no JSON (%w): %.200s", err, text)
		}
		if told.Result.OK == 0 {
			return 0, fmt.Errorf("bombardier got no answer: %.200s", text)
		}
		return told.Result.RPS.Mean, nil
	}
}

func bombardier() (string, error) {
	root, err := home.Checkout()
	if err != nil {
		return "", err
	}
	pinned := filepath.Join(root, ".tools", "bin", "bombardier")
	if _, err := os.Stat(pinned); err == nil {
		return pinned, nil
	}
	found, err := exec.LookPath("bombardier")
	if err != nil {
		return "", errors.New("there is no bombardier to compare with; install the pinned one with: make tools")
	}
	return found, nil
}
