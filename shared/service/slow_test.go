package service

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
)

// pipes is a listener whose connections are pipes within the process, so that the time-outs of a real server pass on a
// clock that does not make anybody wait.
type pipes struct {
	arriving chan net.Conn
	closed   chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.arriving:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	close(p.closed)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// slowly gives client a connection to a server, on a clock of its own.
func slowly(t *testing.T, client func(t *testing.T, conn net.Conn)) {
	data := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		api := New(Default(), Disk(release.At(data)), io.Discard)
		server := newServer(api, &silentConns{conns: map[net.Conn]bool{}})
		listener := pipes{make(chan net.Conn), make(chan struct{})}
		served := make(chan error)
		go func() { served <- server.Serve(listener) }()
		ours, theirs := net.Pipe()
		listener.arriving <- theirs
		defer func() {
			require.NoError(t, ours.Close())
			require.NoError(t, server.Close())
			require.ErrorIs(t, <-served, http.ErrServerClosed)
			require.NoError(t, api.Close(context.Background()))
			require.Zero(t, api.Metrics().InFlight)
		}()
		client(t, ours)
	})
}

// trickle says text, one byte a second, until the connection is closed, which end does and waits for.
func trickle(conn net.Conn, text string) (end func()) {
	var talking sync.WaitGroup
	talking.Go(func() {
		for ; text != ""; text = text[1:] {
			time.Sleep(time.Second)
			if _, err := io.WriteString(conn, text[:1]); err != nil {
				return
			}
		}
	})
	return func() {
		_ = conn.Close()
		talking.Wait()
	}
}

const head = "POST /relevance HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"

func TestAClientThatTakesItsTimeWithTheHeaderIsCutOff(t *testing.T) {
	slowly(t, func(t *testing.T, conn net.Conn) {
		began := time.Now()
		defer trickle(conn, head)()
		_, err := io.Copy(io.Discard, conn)
		require.NoError(t, err)
		require.Equal(t, readHeaderTimeout, time.Since(began))
	})
}

func TestAClientThatTakesItsTimeWithTheBodyIsToldSoAndCutOff(t *testing.T) {
	slowly(t, func(t *testing.T, conn net.Conn) {
		began := time.Now()
		_, err := io.WriteString(conn, head)
		require.NoError(t, err)
		defer trickle(conn, strings.Repeat(" ", 1000))()
		said, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.Contains(t, string(said), "408 Request Timeout")
		require.Contains(t, string(said), `{"error":"body: it did not arrive in time","field":"body"}`)
		require.Equal(t, readTimeout, time.Since(began))
	})
}

func TestAClientThatDoesNotTakeItsAnswerIsCutOff(t *testing.T) {
	slowly(t, func(t *testing.T, conn net.Conn) {
		began := time.Now()
		_, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		time.Sleep(writeTimeout)
		synctest.Wait()
		said, err := io.ReadAll(conn)
		require.NoError(t, err)
		require.NotContains(t, string(said), "</html>")
		require.Equal(t, writeTimeout, time.Since(began))
	})
}

func TestAClientThatAsksNoMoreIsCutOffInTheEnd(t *testing.T) {
	slowly(t, func(t *testing.T, conn net.Conn) {
		_, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
		require.NoError(t, err)
		answers := bufio.NewReader(conn)
		response, err := http.ReadResponse(answers, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		began := time.Now()
		_, err = answers.ReadByte()
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, idleTimeout, time.Since(began))
	})
}
