package service_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/cli"
	"example.com/relevance-lab/shared/service"
)

var variables = []string{"HOST", "PORT", "BLOOM", "CACHE_SIZE", "DB_DELAY_MS", "DB_BUDGET_MS"}

func TestAnEmptyEnvironmentGivesTheDefaults(t *testing.T) {
	for _, name := range variables {
		t.Setenv(name, "")
	}
	config, err := service.ConfigFromEnv()
	require.NoError(t, err)
	require.Equal(t, service.Default(), config)
	require.Equal(t, "127.0.0.1", config.Host, "nobody else on the network reaches it unless told otherwise")
}

func TestTheEnvironmentSetsEachSetting(t *testing.T) {
	for name, value := range map[string]string{
		"HOST": "0.0.0.0", "PORT": "0", "BLOOM": "off", "CACHE_SIZE": "0", "DB_DELAY_MS": "2", "DB_BUDGET_MS": "50",
	} {
		t.Setenv(name, value)
	}
	config, err := service.ConfigFromEnv()
	require.NoError(t, err)
	require.Equal(t, service.Config{
		Host: "0.0.0.0", DBDelay: 2 * time.Millisecond, DBBudget: 50 * time.Millisecond,
	}, config)
}

func TestAWrongSettingIsOneLineThatNamesTheVariable(t *testing.T) {
	for _, row := range [][2]string{
		{"PORT", "99999"}, {"PORT", "-1"}, {"PORT", "http"}, {"PORT", "1e3"},
		{"BLOOM", "yes"}, {"BLOOM", "OFF"}, {"BLOOM", "true"}, {"BLOOM", "0"},
		{"CACHE_SIZE", "-1"}, {"CACHE_SIZE", "10000001"}, {"CACHE_SIZE", "8_560"}, {"CACHE_SIZE", "many"},
		{"DB_DELAY_MS", "2ms"}, {"DB_DELAY_MS", "-2"}, {"DB_DELAY_MS", "60001"}, {"DB_DELAY_MS", "99999999999999999999"},
		{"DB_BUDGET_MS", "0"}, {"DB_BUDGET_MS", "0.5"}, {"DB_BUDGET_MS", "10001"},
	} {
		t.Run(row[0]+"="+row[1], func(t *testing.T) {
			for _, name := range variables {
				t.Setenv(name, "")
			}
			t.Setenv(row[0], row[1])
			_, err := service.ConfigFromEnv()
			var stderr bytes.Buffer
			require.Equal(t, cli.ExitUsage, cli.Report(err, &stderr))
			require.Regexp(t, `^`+row[0]+`="`+row[1]+`" is not [^\n]+\n$`, stderr.String())
		})
	}
}

func TestEachWrongSettingIsTold(t *testing.T) {
	t.Setenv("BLOOM", "maybe")
	t.Setenv("PORT", "99999")
	t.Setenv("CACHE_SIZE", "x")
	_, err := service.ConfigFromEnv()
	require.ErrorContains(t, err, "BLOOM=")
	require.ErrorContains(t, err, "PORT=")
	require.ErrorContains(t, err, "CACHE_SIZE=")
}
