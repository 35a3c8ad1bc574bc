package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/world"
)

// FuzzQuestion compares the parser with encoding/json. What the parser accepts has to mean the same there, and what it
// refuses has to be refused there too, unless it is one of the mistakes that encoding/json does not mind.
func FuzzQuestion(f *testing.F) {
	for _, text := range []string{
		`{"asin":"B000000042","creatives":["cr-179","cr-396","cr-7"]}`, `{"creatives":[],"asin":""}`, `{}`, `[]`, ``,
		`{"asin":"\u0041\ud83d\ude00\"","creatives":["\\","\/"]}`, `{"asin":"a","asin":"b","creatives":[null]}`,
		`{"asin":1,"creatives":"x"}`, ` { "asin" : "a" , "creatives" : [ "b" ] } x`, `{"asin":"a","creatives":["b",]}`,
		`{"asin":"\ud800","creatives":["\u0000"]}`, "{\"asin\":\"\xff\"}", `{"aſin":"a"}`,
		`{"asin":"\ufffd","creatives":["\ud800\ud800\udc00"]}`, "{\"asin\":\"\ufffd\\/\",\"creatives\":[\"a\"]}",
		`{,}`, `{"":0}`, `{"a\nb":0}`, `{"asin":"a"`, "\ufeff{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var ours question
		problem := ours.parse(body)
		theirs, err := byLibrary(body)
		if problem == nil {
			require.NoError(t, err)
			require.Equal(t, theirs.ASIN, ours.asin)
			require.Equal(t, theirs.Creatives, ours.creatives)
			return
		}
		require.Equal(t, http.StatusBadRequest, problem.status)
		require.NotEmpty(t, problem.Field)
		require.NotContains(t, problem.Message, "\n")
		text, marshalError := json.Marshal(problem)
		require.NoError(t, marshalError)
		require.Less(t, len(text), 1000, "an error does not repeat the request")
		if err == nil {
			require.True(t, careless(body), "refused for no reason: %s", problem.Message)
		}
	})
}

type libraryQuestion struct {
	ASIN      string   `json:"asin"`
	Creatives []string `json:"creatives"`
}

// byLibrary is parse as encoding/json would have it.
func byLibrary(body []byte) (q libraryQuestion, err error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&q); err != nil {
		return q, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return q, errors.New("more follows")
	}
	ids := question{q.ASIN, q.Creatives}
	if problem := ids.check(len(q.Creatives)); problem != nil {
		return q, errors.New(problem.Message)
	}
	return q, nil
}

// careless reports whether a body that encoding/json accepts has a field twice, a name in other letters, a null, bytes
// that are not UTF-8, or an escape that may be half of a pair.
func careless(body []byte) bool {
	if !utf8.Valid(body) || bytes.Contains(bytes.ToLower(body), []byte(`\ud`)) {
		return true
	}
	seen := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(body))
	for depth := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return false
		}
		switch token := token.(type) {
		case nil:
			return true
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth != 1 {
				continue
			}
			if token != "asin" && token != "creatives" || seen[token] {
				return true
			}
			seen[token] = true
			if token == "asin" { // its value is a string of the same depth
				if value, err := decoder.Token(); err != nil || value == nil {
					return true
				}
			}
		}
	}
}

func TestAQuestionDoesNotRememberTheOneBefore(t *testing.T) {
	var q question
	require.Nil(t, q.parse([]byte(`{"asin":"A","creatives":["a","b","c"]}`)))
	require.NotNil(t, q.parse([]byte(`{"creatives":["x"]}`)))
	require.NotNil(t, q.parse([]byte(`{"asin":"B"}`)))
	require.Nil(t, q.parse([]byte(`{"asin":"C","creatives":["d"]}`)))
	require.Equal(t, question{"C", []string{"d"}}, q)
}

func TestParsingAllocatesOnce(t *testing.T) {
	var q question
	body := []byte(`{"asin":"B000000042","creatives":["cr-179","cr-396","cr-7","cr-11","cr-227"]}`)
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() { q.parse(body) }))
}

func BenchmarkParse(b *testing.B) {
	body := []byte(`{"asin":"B000000042","creatives":["cr-179","cr-396","cr-7","cr-11","cr-227"]}`)
	b.Run("question", func(b *testing.B) {
		b.ReportAllocs()
		var q question
		for b.Loop() {
			if q.parse(body) != nil {
				b.Fatal()
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := byLibrary(body); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestAnAnswerIsJSONWhateverTheIds(t *testing.T) {
	ids := []string{"cr-1", `"`, `\`, "\x01", "é", "\u2028", "<script>", strings.Repeat("€", 20), "\x7f"}
	scores := make([]world.Score, len(ids))
	for i := range scores {
		scores[i] = world.Score(100 * (i + 1))
	}
	for _, degraded := range []bool{false, true} {
		var decoded struct {
			Version  string
			Scores   map[string]float64
			Degraded *bool
		}
		text := appendAnswer(nil, "2026-10-30", ids, scores, degraded)
		require.NoError(t, json.Unmarshal(text, &decoded), string(text))
		require.Len(t, decoded.Scores, len(ids))
		for i, id := range ids {
			require.Equal(t, scores[i].Float(), decoded.Scores[id])
		}
		require.Equal(t, degraded, decoded.Degraded != nil, "it is there only when it is true")
	}
	require.Equal(t, `{"version":"2026-10-30","scores":{"cr-179":0.935,"cr-396":0.923,"cr-7":0.0}}`,
		string(appendAnswer(nil, "2026-10-30", []string{"cr-179", "cr-396", "cr-7"}, []world.Score{935, 923, 0}, false)))
}
