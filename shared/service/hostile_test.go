package service_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/service"
)

// dial opens a connection to a server, to say things that no HTTP client says.
func dial(t *testing.T, url string) *net.TCPConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return conn.(*net.TCPConn)
}

// asked is a whole request as text.
func asked(body string) string {
	return fmt.Sprintf("POST /relevance HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}

func TestRequestsThatAreSentInOneGoAreAnsweredInTheirOrder(t *testing.T) {
	url := start(t, service.New(service.Default(), scripted{scores: database(found), keys: everything()}, io.Discard))
	conn := dial(t, url)
	_, err := io.WriteString(conn, asked(question("cr-1"))+asked("{}")+asked(question(names(500)...))+asked(question("cr-2")))
	require.NoError(t, err)
	answers := bufio.NewReader(conn)
	for _, want := range []struct {
		status int
		part   string
	}{{200, `{"cr-1":`}, {400, "asin"}, {200, `"cr-499":`}, {200, `{"cr-2":`}} {
		response, err := http.ReadResponse(answers, nil)
		require.NoError(t, err)
		require.Equal(t, want.status, response.StatusCode)
		require.Contains(t, read(t, response), want.part)
	}
}

func TestAClientThatHasSaidAllItHasToSayIsStillAnswered(t *testing.T) {
	url := start(t, service.New(service.Default(), scripted{scores: database(found), keys: everything()}, io.Discard))
	conn := dial(t, url)
	_, err := io.WriteString(conn, asked(question("cr-1")))
	require.NoError(t, err)
	require.NoError(t, conn.CloseWrite())
	text, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(text), `"scores":{"cr-1":`)
}

func TestNonsenseIsRefusedAndDisturbsNobody(t *testing.T) {
	url := start(t, service.New(service.Default(), scripted{scores: database(found), keys: everything()}, io.Discard))
	post := "POST /relevance HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for name, row := range map[string]struct{ said, want string }{
		"nothing":                        {"", ""},
		"half a line":                    {"POST /rele", "400"},
		"no HTTP":                        {"hello\r\n\r\n", "400"},
		"the beginning of TLS":           {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"},
		"HTTP/2 without asking":          {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "404"},
		"HTTP of the future":             {"GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", "505"},
		"no host":                        {"GET /healthz HTTP/1.1\r\n\r\n", "400"},
		"a space before a header's name": {"GET /healthz HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n", "400"},
		"the wish for a tunnel":          {"CONNECT elsewhere:80 HTTP/1.1\r\nHost: elsewhere:80\r\n\r\n", "404"},
		"a way out of the folder":        {"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", "404"},
		"two lengths":                    {post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "400"},
		"a negative length":              {post + "Content-Length: -1\r\n\r\n", "400"},
		"a length of terabytes":          {post + "Content-Length: 9999999999999\r\n\r\n{", "413"},
		"a length and chunks":            {post + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
		"chunks that are none":           {post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
		"a coding that is not known":     {post + "Transfer-Encoding: gzip\r\n\r\n{}", "501"},
		"an expectation":                 {post + "Expect: coffee\r\nContent-Length: 2\r\n\r\n{}", "417"},
		"a compressed body, said twice":  {post + "Content-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", "415"},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, url)
			_, err := io.WriteString(conn, row.said)
			require.NoError(t, err)
			require.NoError(t, conn.CloseWrite())
			text, err := io.ReadAll(conn)
			require.NoError(t, err)
			if row.want == "" {
				require.Empty(t, text)
				return
			}
			require.True(t, strings.HasPrefix(string(text), "HTTP/1.1 "+row.want+" "), "want %s, got %.200s", row.want, text)
		})
	}
	require.Equal(t, want("cr-1"), ask(t, url, "A", "cr-1").Scores["cr-1"])
	m := metrics(t, url)
	require.EqualValues(t, 1, m.Requests)
	require.Zero(t, m.Errors)
	require.Zero(t, m.InFlight)
}

func TestAnAcceptHeaderMaySayAnything(t *testing.T) {
	url := start(t, service.New(service.Default(), scripted{scores: database(found)}, io.Discard))
	for _, accept := range []string{
		"", ",", ";", ",;,", "*", "*/", "/", "q=1", "application/json;q=0", "image/png", "\xff\xfe", strings.Repeat("*/*,", 3000),
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited", strings.Repeat("a", 15_000),
	} {
		conn := dial(t, url)
		_, err := fmt.Fprintf(conn, "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: %s\r\nConnection: close\r\n\r\n", accept)
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode, accept)
		require.Equal(t, "application/json; charset=utf-8", response.Header.Get("Content-Type"), accept)
		require.Contains(t, read(t, response), `"lookups":0`, accept)
	}
}
