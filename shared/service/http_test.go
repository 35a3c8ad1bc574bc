package service_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
	"example.com/relevance-lab/shared/world"
)

// names returns n creatives.
func names(n int) (creatives []string) {
	for i := range n {
		creatives = append(creatives, "cr-"+strconv.Itoa(i))
	}
	return creatives
}

func question(creatives ...string) string {
	text, _ := json.Marshal(map[string]any{"asin": "B000000042", "creatives": creatives})
	return string(text)
}

func TestABadRequestIsAJSONErrorThatNamesTheField(t *testing.T) {
	data := t.TempDir()
	publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	long := strings.Repeat("x", 65)

	for name, row := range map[string]struct {
		method, path, kind, coding, body string // POST /relevance application/json, where they are empty
		want                             string // the status, the field, and a part of the message
	}{
		"an empty body":                      {body: "", want: "400 body got nothing"},
		"malformed JSON":                     {body: `{"asin"`, want: "400 body not JSON"},
		"JSON that ends too early":           {body: `{"asin":"A","creatives":["a"`, want: "400 body ends"},
		"a list instead of an object":        {body: `[]`, want: "400 body got a list"},
		"null instead of an object":          {body: `null`, want: "400 body got null"},
		"text after the end":                 {body: question("a") + "}", want: "400 body more text"},
		"two questions":                      {body: question("a") + question("a"), want: "400 body more text"},
		"a trailing comma":                   {body: `{"asin":"A","creatives":["a",]}`, want: "400 creatives a string"},
		"a missing comma":                    {body: `{"asin":"A" "creatives":["a"]}`, want: "400 body a comma"},
		"a missing colon":                    {body: `{"asin" "A"}`, want: "400 body a colon"},
		"a name without quotes":              {body: `{asin:"A"}`, want: "400 body in quotes"},
		"a wrong escape":                     {body: `{"asin":"\x","creatives":["a"]}`, want: "400 body JSON string"},
		"a control character":                {body: "{\"asin\":\"A\n\"}", want: "400 body control character"},
		"text that is not UTF-8":             {body: "{\"asin\":\"\xff\",\"creatives\":[\"a\"]}", want: "400 body UTF-8"},
		"an unknown field":                   {body: `{"asin":"A","creative":["a"]}`, want: "400 creative unknown"},
		"a field twice, once in escapes":     {body: `{"asin":"A","\u0061sin":"A","creatives":["a"]}`, want: "400 asin twice"},
		"a field in other letters":           {body: `{"ASIN":"A","creatives":["a"]}`, want: "400 ASIN unknown"},
		"half of an escaped pair":            {body: `{"asin":"\ud83d","creatives":["a"]}`, want: "400 body both halves"},
		"the other half, in a list":          {body: `{"asin":"A","creatives":["\udE00x"]}`, want: "400 body both halves"},
		"an asin twice":                      {body: `{"asin":"A","asin":"A","creatives":["a"]}`, want: "400 asin twice"},
		"no asin":                            {body: `{"creatives":["a"]}`, want: "400 asin missing"},
		"an empty asin":                      {body: `{"asin":"","creatives":["a"]}`, want: "400 asin empty"},
		"a null asin":                        {body: `{"asin":null,"creatives":["a"]}`, want: "400 asin got null"},
		"a number as asin":                   {body: `{"asin":42,"creatives":["a"]}`, want: "400 asin got a number"},
		"an asin of 65 bytes":                {body: `{"asin":"` + long + `","creatives":["a"]}`, want: "400 asin 64 bytes"},
		"an asin with a zero byte":           {body: `{"asin":"A\u0000","creatives":["a"]}`, want: "400 asin zero byte"},
		"no creatives":                       {body: `{"asin":"A"}`, want: "400 creatives at least 1"},
		"an empty list":                      {body: `{"asin":"A","creatives":[]}`, want: "400 creatives at least 1"},
		"a string instead of a list":         {body: `{"asin":"A","creatives":"a"}`, want: "400 creatives got a string"},
		"a number in the list":               {body: `{"asin":"A","creatives":["a",7]}`, want: "400 creatives got a number"},
		"a null in the list":                 {body: `{"asin":"A","creatives":[null]}`, want: "400 creatives got null"},
		"a list in the list":                 {body: `{"asin":"A","creatives":[["a"]]}`, want: "400 creatives got a list"},
		"an empty creative":                  {body: question("a", ""), want: "400 creatives empty or missing (number 2)"},
		"a creative of 65 bytes":             {body: question(long), want: "400 creatives 64 bytes"},
		"a creative with a zero byte":        {body: question("a\x00"), want: "400 creatives zero byte"},
		"501 creatives":                      {body: question(names(501)...), want: "400 creatives creatives: at most 500, got 501"},
		"a body of more than 64 KiB":         {body: `{"asin":"A",` + strings.Repeat(" ", 64<<10), want: "413 body 65,536 bytes"},
		"a form":                             {kind: "multipart/form-data", body: "asin=A", want: "415 Content-Type application/json"},
		"text that does not say what it is":  {kind: "-", body: question("a"), want: "415 Content-Type application/json"},
		"a type that only begins like JSON":  {kind: "application/jsonp", body: question("a"), want: "415 Content-Type application/json"},
		"JSON in another character encoding": {kind: "application/json; charset=latin1", body: question("a"), want: "415 Content-Type latin1"},
		"a compressed body":                  {coding: "gzip", body: "\x1f\x8b", want: "415 Content-Encoding gzip"},
		"another path":                       {path: "/relevances", want: "404 path /relevances"},
		"a path with a slash behind":         {path: "/relevance/", want: "404 path /relevance/"},
		"a long path":                        {path: "/" + strings.Repeat("x", 8000), want: "404 path there is no /xxxx"},
		"a path of control characters":       {path: "/%0a%1b%5b31m", want: `404 path there is no "/\n\x1b[31m"`},
		"a long method":                      {method: strings.Repeat("A", 8000), want: "405 method takes POST, got AAAA"},
		"a long type":                        {kind: strings.Repeat("a", 8000), want: "415 Content-Type application/json"},
		"a GET of the question's path":       {method: "GET", want: "405 method takes POST, got GET"},
		"a DELETE of the metrics":            {method: "DELETE", path: "/metrics", want: "405 method takes GET"},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.SplitN(row.want, " ", 3)
			field, message := want[1], want[2]
			path, method, kind := row.path, row.method, row.kind
			if path == "" {
				path = "/relevance"
			}
			if method == "" {
				method = http.MethodPost
			}
			request, err := http.NewRequestWithContext(t.Context(), method, url+path, strings.NewReader(row.body))
			require.NoError(t, err)
			switch kind {
			case "":
				request.Header.Set("Content-Type", "application/json")
			case "-":
			default:
				request.Header.Set("Content-Type", kind)
			}
			if row.coding != "" {
				request.Header.Set("Content-Encoding", row.coding)
			}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			text := read(t, response)
			var problem struct{ Error, Field string }
			require.NoError(t, json.Unmarshal([]byte(text), &problem), text)
			require.Equal(t, want[0], strconv.Itoa(response.StatusCode), text)
			require.Equal(t, "application/json; charset=utf-8", response.Header.Get("Content-Type"))
			require.Equal(t, field, problem.Field, text)
			require.Contains(t, problem.Error, message)
			require.True(t, strings.HasPrefix(problem.Error, field+": "), "the message names the field: %s", text)
			require.NotContains(t, text, `"scores"`, "no partial answer")
			require.Less(t, len(text), 1000, "an error does not repeat the request")
			if response.StatusCode == http.StatusMethodNotAllowed {
				require.NotEmpty(t, response.Header.Get("Allow"))
			}
		})
	}
	m := metrics(t, url)
	require.Zero(t, m.Requests, "none of them is an answered request")
	require.Zero(t, m.Errors, "and none is the server's fault")
	require.EqualValues(t, 50, m.Rejected)
}

func TestALargeBodyIsRefusedAlsoWhenItsLengthIsNotTold(t *testing.T) {
	data := t.TempDir()
	publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	hidden := struct{ io.Reader }{strings.NewReader(strings.Repeat(" ", 1<<20))} // sent in chunks
	response, err := http.Post(url+"/relevance", "application/json", hidden)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode, read(t, response))
}

func TestABodyThatBreaksOffIsNotAnswered(t *testing.T) {
	data := t.TempDir()
	publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /relevance HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"+
		"Content-Length: 100\r\n\r\n{")
	require.NoError(t, err)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	text, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(text), "400 Bad Request")
	require.Contains(t, string(text), "body: it did not arrive whole")
}

func TestWhatIsCarefulJSONIsAccepted(t *testing.T) {
	data := t.TempDir()
	publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	for name, body := range map[string]string{
		"500 creatives":          question(names(500)...),
		"white space everywhere": " { \"creatives\" :\r\n[ \"a\" ,\t\"b\" ] , \"asin\" : \"A\" } \n",
		"escapes":                `{"asin":"\u0041\n","creatives":["\"quoted\"","\ud83d\ude00"]}`,
		"a replacement, escaped": `{"asin":"\ufffd","creatives":["\uFFFD\/","�\/"]}`,
		"an id of 64 bytes":      question(strings.Repeat("x", 64)),
	} {
		t.Run(name, func(t *testing.T) {
			status, text := post(t, url, body)
			require.Equal(t, http.StatusOK, status, text)
			require.True(t, json.Valid([]byte(text)), text)
		})
	}
	response, err := http.Post(url+"/relevance", "Application/JSON; charset=UTF-8", strings.NewReader(question("a")))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, read(t, response))
}

func TestAnAnswerListsEachDistinctCreativeOnceInTheOrderOfTheRequest(t *testing.T) {
	data := t.TempDir()
	pairs := publish(t, data, small(), world.FirstDay)
	url := start(t, service.New(service.Default(), service.Disk(release.At(data)), io.Discard))
	asin := 0
	for len(pairs.Of(asin)) == 0 {
		asin++
	}
	one := pairs.Of(asin)[0]
	id := pairs.World().Creative(int(one.Creative))
	many := append(names(250), names(250)...)
	for _, creatives := range [][]string{{"z", id, "z", "a\"<é\u2028", id}, many} {
		body, err := json.Marshal(map[string]any{"asin": pairs.World().ASIN(asin), "creatives": creatives})
		require.NoError(t, err)
		response, err := http.Post(url+"/relevance", "application/json", strings.NewReader(string(body)))
		require.NoError(t, err)
		text := read(t, response)
		require.Equal(t, strconv.Itoa(len(text)), response.Header.Get("Content-Length"))
		var order []string
		seen := map[string]bool{}
		for _, creative := range creatives {
			if !seen[creative] {
				order = append(order, creative)
			}
			seen[creative] = true
		}
		require.Equal(t, order, keysOf(t, text))
	}
	require.Equal(t, one.Score.Float(), ask(t, url, pairs.World().ASIN(asin), "z", id).Scores[id])
	require.EqualValues(t, 3+250+2, metrics(t, url).Lookups, "a repeated creative is one lookup")
}

// keysOf returns the keys of an answer's scores in the order of the text.
func keysOf(t *testing.T, text string) (keys []string) {
	decoder := json.NewDecoder(strings.NewReader(text))
	for depth, name := 0, true; ; {
		token, err := decoder.Token()
		if err == io.EOF {
			return keys
		}
		require.NoError(t, err, text)
		switch token := token.(type) {
		case json.Delim:
			if token == '{' {
				depth++
			} else {
				depth--
			}
			name = true
		default:
			if depth == 2 && name {
				keys = append(keys, token.(string))
			}
			name = !name
		}
	}
}
