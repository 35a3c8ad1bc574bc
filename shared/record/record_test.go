package record_test

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/relevance-lab/shared/record"
	"github.com/stretchr/testify/require"
)

func saved(t *testing.T) (results string, saved record.Record) {
	t.Helper()
	results = filepath.Join(t.TempDir(), "results")
	saved, err := record.New("06-load", map[string]any{"processes": 2.0}, map[string]float64{"requests": 8102}, []int{1, 2})
	require.NoError(t, err)
	saved.Prediction = &record.Prediction{Question: "How many?", Unit: "requests", Predicted: 9000, Measured: 8102}
	require.NoError(t, saved.Save(results))
	return results, saved
}

func TestARecordReadsBackAsItWasSaved(t *testing.T) {
	results, want := saved(t)
	got, err := record.Load(results, "06-load")
	require.NoError(t, err)
	require.JSONEq(t, string(want.Detail), string(got.Detail))
	got.Detail, want.Detail = nil, nil
	require.Equal(t, want, got)
}

func TestSavingLeavesTheRecordAndNothingElse(t *testing.T) {
	results, again := saved(t)
	require.NoError(t, again.Save(results))
	entries, err := os.ReadDir(results)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, "step-06.json", entries[0].Name())
}

func TestWhatIsNoStepHasAFileOfItsOwnName(t *testing.T) {
	results, other := saved(t)
	other.Step = "baseline"
	require.NoError(t, other.Save(results))
	require.FileExists(t, filepath.Join(results, "baseline.json"))
	got, err := record.Load(results, "baseline")
	require.NoError(t, err)
	require.Equal(t, other.Numbers, got.Numbers)
}

func TestARecordThatCannotBeUsedSaysWhatToDo(t *testing.T) {
	for name, content := range map[string]string{
		"is damaged":  `{"schema":1,`,
		"has schema":  `{"schema":99,"step":"06-load"}`,
		"is a record": `{"schema":1,"step":"07-no-bloom"}`,
	} {
		t.Run(name, func(t *testing.T) {
			results := t.TempDir()
			require.NoError(t, os.WriteFile(record.Path(results, "06-load"), []byte(content), 0o644))
			_, err := record.Load(results, "06-load")
			require.ErrorContains(t, err, name)
			require.ErrorContains(t, err, "run the step again")
		})
	}
	t.Run("a step that was never run", func(t *testing.T) {
		_, err := record.Load(t.TempDir(), "06-load")
		require.ErrorIs(t, err, record.ErrNone)
		require.ErrorContains(t, err, "go run ./steps/06-load")
	})
}

func TestTheMachineIsDescribed(t *testing.T) {
	machine := record.ThisMachine()
	require.Positive(t, machine.Cores)
	require.Positive(t, machine.MemoryMiB)
	require.NotEmpty(t, machine.Go)
}
