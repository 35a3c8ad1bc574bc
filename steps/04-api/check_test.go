package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/batch"
	"example.com/relevance-lab/shared/check"
	"example.com/relevance-lab/shared/lab"
	"example.com/relevance-lab/shared/world"
)

func TestMain(m *testing.M) { check.Main(m, main) }

func TestTheAPISaysThatItHasNoVersionAndServesTheFirstThatIsPublished(t *testing.T) {
	step := check.New(t)
	url := step.Serve(t, "--port", "0")
	status, body := get(t, url+"/healthz")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, body, "no data version loaded yet")

	publish(t, step, world.FirstDay)
	require.Eventually(t, func() bool { return version(t, url) == string(world.FirstDay) }, 10*time.Second, 50*time.Millisecond)
	publish(t, step, world.FirstDay.Next())
	require.Eventually(t, func() bool { return version(t, url) == string(world.FirstDay.Next()) }, 10*time.Second, 50*time.Millisecond)
}

func TestTheAPIAnswersWithTheScoresOfTheWorld(t *testing.T) {
	step := check.New(t)
	pairs := publish(t, step, world.FirstDay)
	url := step.Serve(t, "--port", "0")
	require.Eventually(t, func() bool { return version(t, url) == string(world.FirstDay) }, 10*time.Second, 50*time.Millisecond)

	for asin := range 50 {
		want := map[string]float64{"cr-999999": 0}
		for _, pair := range pairs.Of(asin) {
			want[pairs.World().Creative(int(pair.Creative))] = pair.Score.Float()
		}
		question := lab.Question{ASIN: pairs.World().ASIN(asin)}
		for creative := range want {
			question.Creatives = append(question.Creatives, creative)
		}
		text, err := json.Marshal(question)
		require.NoError(t, err)
		response, err := http.Post(url+"/relevance", "application/json", strings.NewReader(string(text)))
		require.NoError(t, err)
		var answer struct {
			Version string
			Scores  map[string]float64
		}
		require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
		require.NoError(t, response.Body.Close())
		require.Equal(t, string(world.FirstDay), answer.Version)
		require.Equal(t, want, answer.Scores)
	}
}

func TestABadQuestionIsRefusedWithTheNameOfTheField(t *testing.T) {
	step := check.New(t)
	publish(t, step, world.FirstDay)
	url := step.Serve(t, "--port", "0")
	for body, field := range map[string]string{
		`{"asin":"","creatives":["cr-1"]}`:            "asin",
		`{"asin":"B000000042","creatives":[]}`:        "creatives",
		`{"asin":"B000000042","creatives":[7]}`:       "creatives",
		`{"asin":"B000000042","creatives":["cr-1"]}}`: "body",
	} {
		response, err := http.Post(url+"/relevance", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, http.StatusBadRequest, response.StatusCode, body)
		require.Contains(t, string(text), field)
	}
}

func TestABusyPortIsNamedWithTheWayOut(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	_, port, err := net.SplitHostPort(busy.Addr().String())
	require.NoError(t, err)
	line := check.New(t).Refuse(t, 1, "--port", port)
	require.Contains(t, line, "port "+port)
	require.Contains(t, line, "--port")
}

func TestAWrongSettingIsWrongUse(t *testing.T) {
	step := check.New(t)
	for _, setting := range []string{"BLOOM=maybe", "CACHE_SIZE=-1", "DB_DELAY_MS=x", "DB_BUDGET_MS=-5", "PORT=99999"} {
		name, _, _ := strings.Cut(setting, "=")
		require.Contains(t, step.Refuse(t, 2, setting), name)
	}
	step.Refuse(t, 2, "--port", "-1")
}

func publish(t *testing.T, step check.Program, day world.Day) *batch.Pairs {
	t.Helper()
	config := world.Default(lab.DefaultSeed)
	_, err := batch.Run(t.Context(), batch.Options{
		Day: day, Threshold: lab.Threshold, World: config, Data: step.Home.Data(), Out: io.Discard, Program: "check",
	})
	require.NoError(t, err)
	pairs, err := batch.Score(t.Context(), world.New(config, day), lab.Threshold)
	require.NoError(t, err)
	return pairs
}

func version(t *testing.T, url string) string {
	t.Helper()
	_, body := get(t, url+"/healthz")
	var health struct{ Version string }
	require.NoError(t, json.Unmarshal([]byte(body), &health))
	return health.Version
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}
