package lab_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/world"
)

const (
	secondDay = world.Day("2026-10-31")
	brokenDay = world.Day("2026-11-01")
)

// broken is a dataset that shrank overnight.
var broken = lab.Publish{Day: brokenDay, Threshold: 950}

func TestAPublishIsTheCommandThatAPersonTypes(t *testing.T) {
	require.Equal(t, "go run ./steps/01-batch --day 2026-11-01 --threshold 0.95", broken.Command())
	require.Equal(t, "go run ./steps/01-batch --day 2026-10-31", lab.Publish{Day: secondDay}.Command())
	forced := broken
	forced.Force = true
	require.Equal(t, "go run ./steps/01-batch --day 2026-11-01 --threshold 0.95 --force", forced.Command())
}

func TestTheBatchRunsAsAProcessAndItsExitStatusTellsWhetherItPublished(t *testing.T) {
	made, _ := stage(t)
	live := func() release.Manifest {
		version, err := release.At(made.Home.Data()).Current()
		require.NoError(t, err)
		return version
	}
	var out strings.Builder
	exit, err := made.Publish(t.Context(), lab.Publish{Day: secondDay}, &out)
	require.NoError(t, err)
	require.Zero(t, exit)
	require.Equal(t, secondDay, live().Day)
	require.Contains(t, out.String(), "published: current.json now points at version 2026-10-31\n")

	t.Run("a refusal is status 1, its sentence comes last, and the live version stays", func(t *testing.T) {
		var out strings.Builder
		exit, err := made.Publish(t.Context(), broken, &out)
		require.NoError(t, err)
		require.Equal(t, 1, exit)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		require.Len(t, lines, 2)
		require.Contains(t, lines[0], "[2026-11-01] scored pairs: ")
		require.Regexp(t, `^refusing to publish: row count moved 98% \([\d,]+ -> [\d,]+\); `+
			`rerun with --force if that is expected$`, lines[1])
		require.Equal(t, secondDay, live().Day)
	})
	t.Run("with force the same is published", func(t *testing.T) {
		forced := broken
		forced.Force = true
		exit, err := made.Publish(t.Context(), forced, io.Discard)
		require.NoError(t, err)
		require.Zero(t, exit)
		require.Equal(t, brokenDay, live().Day)
	})
	t.Run("step 01's recorded run is left alone", func(t *testing.T) {
		require.NoFileExists(t, filepath.Join(made.Home.Results(), "step-01.json"))
	})
}

func TestAnInterruptedPublishEndsTheBatchAndLeavesAWholeVersionLive(t *testing.T) {
	made, _ := stage(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := made.Publish(ctx, lab.Publish{Day: secondDay}, onWrite(cancel)) // the first line comes after the scoring
	require.ErrorIs(t, err, context.Canceled)

	publisher, err := release.At(made.Home.Data()).Lock()
	require.NoError(t, err, "the batch is gone, and its lock with it")
	require.NoError(t, publisher.Close())
	build, err := release.At(made.Home.Data()).Pin()
	require.NoError(t, err)
	require.NoError(t, build.Close())

	_, err = made.Publish(ctx, lab.Publish{Day: secondDay}, io.Discard)
	require.ErrorIs(t, err, context.Canceled, "nothing is started any more")
}

// onWrite is a writer that does something each time it is written to.
type onWrite func()

func (do onWrite) Write(text []byte) (int, error) { do(); return len(text), nil }

func TestPrepareDayMakesTheDayLiveWhateverWasLive(t *testing.T) {
	t.Setenv(home.Variable, t.TempDir())
	t.Setenv(lab.SeedVariable, "")
	var out strings.Builder
	prepare := func() lab.Stage {
		t.Helper()
		out.Reset()
		made, err := lab.PrepareDay(t.Context(), secondDay, &out)
		require.NoError(t, err)
		live, err := release.At(made.Home.Data()).Current()
		require.NoError(t, err)
		require.Equal(t, secondDay, live.Day)
		require.Equal(t, lab.Threshold, live.Threshold)
		require.Equal(t, live, made.Version)
		return made
	}
	made := prepare()
	require.Contains(t, out.String(), "no version is live yet; running the batch for 2026-10-31 first\n")
	prepare()
	require.Empty(t, out.String(), "nothing to do, nothing to say")

	t.Run("another day", func(t *testing.T) {
		_, err := made.Publish(t.Context(), lab.Publish{Day: world.FirstDay}, io.Discard)
		require.NoError(t, err)
		again := prepare()
		require.Contains(t, out.String(), "the live version is 2026-10-30; running the batch for 2026-10-31 first\n")
		require.Contains(t, out.String(), "nothing written")
		require.Equal(t, made.Version, again.Version)
	})
	t.Run("broken data", func(t *testing.T) {
		forced := broken
		forced.Force = true
		_, err := made.Publish(t.Context(), forced, io.Discard)
		require.NoError(t, err)
		prepare()
		require.Contains(t, out.String(), "the live version was cut at threshold 0.95 and not at 0.6; ")
	})
	t.Run("another world", func(t *testing.T) {
		t.Setenv(lab.SeedVariable, "7")
		other := prepare()
		require.Contains(t, out.String(), "the live version is of another world than seed 7; ")
		require.NotEqual(t, made.Version.World, other.Version.World)
	})
	t.Run("a pointer that cannot be read is an error that says what to do", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(made.Home.Data(), "current.json"), []byte("?"), 0o644))
		_, err := lab.PrepareDay(t.Context(), secondDay, io.Discard)
		require.ErrorIs(t, err, release.ErrDamaged)
		require.ErrorContains(t, err, "go run ./shared/cmd/rollback")
	})
}

func TestTheAPIFollowsAPublishAndAWaitForAnotherBuildEndsWithItsContext(t *testing.T) {
	made, _ := stage(t)
	server, err := lab.StartAPI(t.Context(), nil, io.Discard)
	require.NoError(t, err)
	defer server.Stop()
	api := lab.Client{URL: server.URL}
	health, err := api.Follow(t.Context(), made.Version.Build)
	require.NoError(t, err)
	require.Equal(t, made.Version.Rows, health.Rows)

	_, err = made.Publish(t.Context(), lab.Publish{Day: secondDay}, io.Discard)
	require.NoError(t, err)
	live, err := release.At(made.Home.Data()).Current()
	require.NoError(t, err)
	health, err = api.Follow(t.Context(), live.Build)
	require.NoError(t, err)
	require.Equal(t, secondDay, health.Version)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = api.Follow(ctx, "2026-10-30-00000000")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
