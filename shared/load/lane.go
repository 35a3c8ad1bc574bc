package load

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// The kinds of error. An answer with another status than 200 is of the kind "status 503".
const (
	kindRefused   = "connection refused"
	kindLost      = "connection lost"
	kindTimeout   = "timeout"
	kindMalformed = "malformed answer"
)

// WrongAnswer is the kind of an answer that a Check refused.
const WrongAnswer = "wrong answer"

// maxAnswer bounds the memory that a broken server can make a worker use.
const maxAnswer = 1 << 20

// deadlineSlack is how much longer than its timeout a request may take. Moving a connection's deadline costs about as
// much as drawing the request does, so it is not moved for each one.
const deadlineSlack = 100 * time.Millisecond

// lane is the connection of one worker. Each worker has its own: a request waits for no pool, the number of
// connections is the number of workers, and nothing is sent a second time behind the measurement's back.
type lane struct {
	target   *url.URL
	address  string // host:port
	timeout  time.Duration
	opened   int64 // connections opened so far
	request  fasthttp.Request
	response fasthttp.Response

	reader   *bufio.Reader
	writer   *bufio.Writer
	deadline time.Time

	mu         sync.Mutex // held to change what follows, and by interrupt to look at it
	connection net.Conn   // nil: not connected
	ended      bool
}

func newLane(target *url.URL, timeout time.Duration) *lane {
	l := &lane{target: target, address: hostPort(target), timeout: timeout}
	l.reader, l.writer = bufio.NewReader(nil), bufio.NewWriter(nil)
	l.request.Header.SetMethod(fasthttp.MethodPost)
	l.request.Header.SetContentType("application/json")
	l.request.Header.SetHost(target.Host)
	l.request.Header.SetRequestURI("/" + strings.TrimLeft(target.JoinPath("relevance").EscapedPath(), "/"))
	l.request.Header.SetUserAgent("relevance-lab")
	return l
}

func hostPort(target *url.URL) string {
	port := target.Port()
	if port == "" {
		port = target.Scheme // "http" and "https" are names of ports
	}
	return net.JoinHostPort(target.Hostname(), port)
}

// failure is why a request counts as an error.
type failure struct {
	kind   string
	detail error
}

// answer is a good answer. Its bytes are valid until the lane's next request.
type answer struct {
	body     []byte
	version  []byte
	degraded bool
}

// send makes one request and waits for its answer, for at most the lane's timeout (and deadlineSlack).
func (l *lane) send(body []byte) (answer, *failure) {
	if err := l.exchange(body); err != nil {
		l.close()
		return answer{}, &failure{kind: kindOf(err), detail: err}
	}
	if l.response.ConnectionClose() {
		l.close()
	}
	if status := l.response.StatusCode(); status != http.StatusOK {
		return answer{}, &failure{kind: fmt.Sprintf("status %d", status), detail: errors.New(excerpt(l.response.Body()))}
	}
	good, ok := parseAnswer(l.response.Body())
	if !ok {
		return answer{}, &failure{kind: kindMalformed, detail: errors.New(excerpt(l.response.Body()))}
	}
	return good, nil
}

func (l *lane) exchange(body []byte) error {
	if err := l.open(); err != nil {
		return err
	}
	now := time.Now()
	if l.deadline.Sub(now) < l.timeout {
		l.deadline = now.Add(l.timeout + deadlineSlack)
		if err := l.connection.SetDeadline(l.deadline); err != nil {
			return err
		}
	}
	l.request.SetBodyRaw(body)
	if err := l.request.Write(l.writer); err != nil {
		return err
	}
	if err := l.writer.Flush(); err != nil {
		return err
	}
	return l.response.ReadLimitBody(l.reader, maxAnswer)
}

// open connects unless the lane is connected.
func (l *lane) open() error {
	if l.connection != nil {
		return nil
	}
	connection, err := net.DialTimeout("tcp", l.address, l.timeout)
	if err != nil {
		return err
	}
	if l.target.Scheme == "https" {
		connection = tls.Client(connection, &tls.Config{ServerName: l.target.Hostname()})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		_ = connection.Close()
		return net.ErrClosed
	}
	l.opened++
	l.connection, l.deadline = connection, time.Time{}
	l.reader.Reset(connection)
	l.writer.Reset(connection)
	return nil
}

// close is for the lane's own worker.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.connection != nil {
		_ = l.connection.Close()
		l.connection = nil
	}
}

// interrupt ends the lane from another goroutine: a worker that waits for an answer gets an error at once.
func (l *lane) interrupt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	if l.connection != nil {
		_ = l.connection.Close()
	}
}

func kindOf(err error) string {
	var timed interface{ Timeout() bool }
	switch {
	case errors.As(err, &timed) && timed.Timeout():
		return kindTimeout
	case refused(err):
		return kindRefused
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return kindMalformed
	default:
		return kindLost
	}
}

// refused also knows Windows' number for it, which errors.Is does not.
func refused(err error) bool {
	const windowsConnectionRefused = syscall.Errno(10061)
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, windowsConnectionRefused)
}

var (
	answerHead   = []byte(`{"version":"`)
	answerScores = []byte(`"scores":{`)
	answerTail   = []byte(`}`)
	answerMark   = []byte(`"degraded":true`)
)

// parseAnswer looks at an answer as cheaply as will do under load: its beginning, its end and its version. The tests
// and drills that must know that every score is right give the worker a Check.
func parseAnswer(body []byte) (answer, bool) {
	rest, found := bytes.CutPrefix(body, answerHead)
	end := bytes.IndexByte(rest, '"')
	if !found || end <= 0 || !bytes.Contains(rest[end:], answerScores) ||
		!bytes.HasSuffix(bytes.TrimRight(rest, "\n"), answerTail) {
		return answer{}, false
	}
	return answer{body: body, version: rest[:end], degraded: bytes.Contains(rest[end:], answerMark)}, true
}

func excerpt(body []byte) string {
	const most = 120
	if len(body) > most {
		return fmt.Sprintf("%q...", body[:most])
	}
	return fmt.Sprintf("%q", body)
}
