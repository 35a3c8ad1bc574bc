package service_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/service"
)

// FuzzHandler sends anything to the whole handler. Every answer is JSON: scores for a question, else an error with one
// of the promised statuses. Never a 500, and never an equation that does not add up.
func FuzzHandler(f *testing.F) {
	for _, body := range []string{
		`{"asin":"A","creatives":["cr-1","cr-2","nobody's"]}`, `{"asin":"A","creatives":["cr-1","cr-1","\u0000"]}`,
		`{}`, `[`, ``,
		`{"asin":"A","creatives":[1]}`, `{"asin":"A","creatives":["cr-1"],"more":1}`, "\x00",
		`{"asin":"é\"\\","creatives":["<>"]}`,
	} {
		f.Add("application/json", []byte(body))
	}
	f.Add("application/json; charset=utf-8", []byte(`{"asin":"A","creatives":["cr-3"]}`))
	f.Add("text/plain; =", []byte(`{}`))
	api := service.New(service.Default(), scripted{scores: database(forgiving), keys: everything()}, io.Discard)
	start(f, api)
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		request := httptest.NewRequest(http.MethodPost, "/relevance", bytes.NewReader(body))
		request.Header.Set("Content-Type", kind)
		response := httptest.NewRecorder()
		api.ServeHTTP(response, request)
		text := response.Body.Bytes()
		require.True(t, json.Valid(text), "%q", text)
		switch response.Code {
		case http.StatusOK:
			var answer struct {
				Version  string
				Scores   map[string]float64
				Degraded bool
			}
			require.NoError(t, json.Unmarshal(text, &answer))
			require.NotEmpty(t, answer.Scores)
			require.False(t, answer.Degraded)
			requireSum(t, api.Metrics())
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
			var problem struct{ Error, Field string }
			require.NoError(t, json.Unmarshal(text, &problem))
			require.NotEmpty(t, problem.Field)
			require.Contains(t, problem.Error, problem.Field)
		default:
			require.Fail(t, "an unpromised status", "%d %s", response.Code, text)
		}
	})
}
