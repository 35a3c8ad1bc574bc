package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/store"
	"example.com/relevance-lab/shared/store/sqlite"
	"example.com/relevance-lab/shared/world"
)

const rowsFile = "rows.tsv" // sorted lines: ASIN, creative, score

// rowRatios compare with the sqlite3 command line, which imports the rows of the first version.
func rowRatios(ctx context.Context, dir string) ([]ratio, error) {
	reference, err := newImporter(ctx, dir)
	if err != nil {
		return nil, err
	}
	batchProgram, err := buildBatch(ctx, dir)
	if err != nil {
		return nil, err
	}
	atMost := func(limit float64) goal {
		if !sqlite.CLibrary {
			return goal{}
		}
		return goal{atMost: limit}
	}
	imported := side{"sqlite3 .import", reference.run}
	return []ratio{
		{
			name: "rows written / sqlite3 .import", unit: "s", goal: atMost(0.8),
			a: side{"store/sqlite: the same file of rows", writeRows(dir)}, b: imported,
		},
		{
			name: "whole 01-batch / sqlite3 .import", unit: "s", goal: atMost(2.5),
			a: side{"01-batch: a first version", batchProgram}, b: imported,
		},
	}, nil
}

// rowWriter is the process that does what the import does: it reads the file of rows and writes a database.
func rowWriter() proc.Role {
	return proc.Role{Name: "bench-rows", Run: func(ctx context.Context, args []string) error {
		rows, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		_, err = sqlite.Create(ctx, args[1], parse(string(rows)))
		return err
	}}
}

func parse(text string) iter.Seq[store.Row] {
	return func(yield func(store.Row) bool) {
		for line := range strings.Lines(text) {
			asin, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			creative, number, _ := strings.Cut(rest, "\t")
			score, err := world.ParseScore(number)
			if err != nil {
				panic(err) // this program wrote the file
			}
			if !yield(store.Row{ASIN: asin, Creative: creative, Score: score}) {
				return
			}
		}
	}
}

func writeRows(dir string) func(context.Context) (float64, error) {
	return func(context.Context) (float64, error) {
		path := filepath.Join(dir, "written.db")
		defer os.Remove(path)
		var stderr strings.Builder
		start := time.Now()
		writer, err := proc.Start("bench-rows", []string{filepath.Join(dir, rowsFile), path}, nil, io.Discard, &stderr)
		if err != nil {
			return 0, err
		}
		if err := writer.Wait(); err != nil {
			return 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
		}
		return time.Since(start).Seconds(), nil
	}
}

// buildBatch builds the first step. It is measured in an empty LAB_HOME each time.
func buildBatch(ctx context.Context, dir string) (func(context.Context) (float64, error), error) {
	checkout, err := home.Checkout()
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "01-batch")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./steps/01-batch")
	build.Dir = checkout
	// With the SQLite that this program has, and not with the one that the shell would choose now.
	build.Env = append(os.Environ(), "CGO_ENABLED="+map[bool]string{true: "1", false: "0"}[sqlite.CLibrary])
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build 01-batch: %w\n%s", err, output)
	}
	return func(ctx context.Context) (float64, error) {
		empty, err := os.MkdirTemp(dir, "home-")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(empty)
		run := exec.CommandContext(ctx, program)
		run.Env = append(os.Environ(), home.Variable+"="+empty, fmt.Sprintf("%s=%d", lab.SeedVariable, lab.DefaultSeed))
		return timed(run)
	}, nil
}

// writeRowsFile writes the rows of the first version for both sides to read.
func writeRowsFile(ctx context.Context, path string) (rows int, err error) {
	pairs, err := batch.Score(ctx, world.New(world.Default(lab.DefaultSeed), world.FirstDay), lab.Threshold)
	if err != nil {
		return 0, err
	}
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	buffered := bufio.NewWriter(file)
	for row := range pairs.Rows() {
		fmt.Fprintf(buffered, "%s\t%s\t%v\n", row.ASIN, row.Creative, row.Score)
	}
	return pairs.Len(), buffered.Flush()
}

// timed runs a command to its end and returns the seconds that it took.
func timed(command *exec.Cmd) (float64, error) {
	start := time.Now()
	output, err := command.CombinedOutput()
	seconds := time.Since(start).Seconds()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(output)))
	}
	return seconds, nil
}
