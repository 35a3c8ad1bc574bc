package load

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACheckIsMadeOnceInAProcessBeforeItWarmsUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes")
	t.Setenv(notebook, path)
	var atFirst []byte
	config := against(serve(t, func(n int64, w http.ResponseWriter) {
		if n == 1 {
			atFirst, _ = os.ReadFile(path)
		}
		sayGood(n, w)
	}))
	config.Processes, config.Warmup = 1, 30
	run(t, config)
	want, err := json.Marshal(Task{World: small, Day: "2026-10-30", Threshold: threshold})
	require.NoError(t, err)
	require.Equal(t, string(want)+"\n", string(atFirst), "it knows its task, and there is no request without it")
	require.NoError(t, os.Remove(path))
	config.Processes = 3
	run(t, config)
	notes, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat(string(want)+"\n", 3), string(notes))
}

func TestACheckThatCannotBeMadeEndsTheRunBeforeItWarmsUp(t *testing.T) {
	s := serve(t, sayGood)
	s.world = unlucky
	config := against(s)
	config.Seed, config.World, config.Warmup = unlucky.Seed, &unlucky, 60
	_, err := Run(t.Context(), config, io.Discard)
	require.Error(t, err)
	require.Regexp(t, `^load process [12] of 2: prepare a check of the answers: out of luck$`, err.Error())
	require.Zero(t, s.asked.Load())
}

func TestOfSeveralChecksTheFirstThatRefusesIsHeard(t *testing.T) {
	saying := func(text string) MakeCheck {
		return func(context.Context, Task) (Check, error) {
			return func(string, []string, []byte) error {
				if text == "" {
					return nil
				}
				return errors.New(text)
			}, nil
		}
	}
	check, err := makeAll(t.Context(), []MakeCheck{saying(""), saying("first"), saying("second")}, Task{})
	require.NoError(t, err)
	require.EqualError(t, check("A", nil, nil), "first")
	check, err = makeAll(t.Context(), nil, Task{})
	require.NoError(t, err)
	require.Nil(t, check, "an answer is not verified where nobody asks for it")
}
