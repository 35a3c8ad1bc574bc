package lab_test

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v4/process"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/load"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

func TestMain(m *testing.M) {
	proc.Dispatch(lab.API(), lab.Batch(), load.Worker(checked), harness())
	os.Exit(m.Run())
}

func stage(t *testing.T) (lab.Stage, string) {
	t.Helper()
	t.Setenv(home.Variable, t.TempDir())
	t.Setenv(lab.SeedVariable, "")
	var out strings.Builder
	made, err := lab.Prepare(t.Context(), &out)
	require.NoError(t, err)
	return made, out.String()
}

func TestTheFirstStepPublishesAndTheNextUsesWhatIsLive(t *testing.T) {
	first, printed := stage(t)
	require.Contains(t, printed, "no version is live yet")
	require.Equal(t, world.FirstDay, first.Version.Day)

	var out strings.Builder
	second, err := lab.Prepare(t.Context(), &out)
	require.NoError(t, err)
	require.Empty(t, out.String())
	require.Equal(t, first.Version.Build, second.Version.Build)

	t.Run("but a live version of another world is replaced, and the line says why", func(t *testing.T) {
		t.Setenv(lab.SeedVariable, "7")
		other, err := lab.Prepare(t.Context(), &out)
		require.NoError(t, err)
		require.Contains(t, out.String(), "another world")
		require.NotEqual(t, first.Version.World, other.Version.World)
		live, err := release.At(other.Home.Data()).Current()
		require.NoError(t, err)
		require.Equal(t, other.Version.Build, live.Build)
	})
}

func TestASeedThatIsNoNumberIsWrongUse(t *testing.T) {
	t.Setenv(lab.SeedVariable, "-1")
	_, err := lab.Seed()
	require.Equal(t, cli.ExitUsage, cli.Report(err, io.Discard))
	require.ErrorContains(t, err, "LAB_SEED")
}

func TestTheAPIRunsAsAProcessOfItsOwnUntilItIsStopped(t *testing.T) {
	stage(t)
	server, err := lab.StartAPI(t.Context(), nil, io.Discard)
	require.NoError(t, err)
	api := lab.Client{URL: server.URL}
	require.Eventually(t, func() bool {
		layers, err := api.Layers(t.Context())
		return err == nil && layers.Version == string(world.FirstDay)
	}, 5*time.Second, 20*time.Millisecond)

	_, err = api.Ask(t.Context(), []byte(`{"asin":"B000000042","creatives":[]}`))
	require.ErrorContains(t, err, "400")

	server.Stop()
	exists, err := process.PidExists(int32(server.PID()))
	require.NoError(t, err)
	require.False(t, exists)
	_, err = api.Layers(t.Context())
	require.ErrorContains(t, err, "go run ./steps/04-api")
}

func TestAnAPIThatCannotStartIsAnError(t *testing.T) {
	stage(t)
	_, err := lab.StartAPI(t.Context(), []string{"CACHE_SIZE=many"}, io.Discard)
	require.ErrorContains(t, err, "the API ended before it listened")

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = lab.StartAPI(cancelled, nil, io.Discard)
	require.ErrorIs(t, err, context.Canceled)
}

func TestAWrongSettingOfThePersonIsWrongUse(t *testing.T) {
	t.Setenv("BLOOM", "maybe")
	_, err := lab.StartAPI(t.Context(), nil, io.Discard)
	require.Equal(t, cli.ExitUsage, cli.Report(err, io.Discard))
	require.ErrorContains(t, err, "BLOOM")
}

func TestARecordKeepsTheVersionAndTheSettings(t *testing.T) {
	made, _ := stage(t)
	require.NoError(t, made.Record("02-bloom", map[string]any{"rate": 0.01}, map[string]float64{"keys": 3}, nil))
	text, err := os.ReadFile(made.Home.Results() + "/step-02.json")
	require.NoError(t, err)
	require.Contains(t, string(text), made.Version.Build)
	require.Contains(t, string(text), `"rate": 0.01`)
}
