package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"

	"example.com/relevance-lab/shared/release"
)

// Time-outs of a connection. The longest budget of a read is well below the one for writing.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 16 << 10
)

// How a server stops: while requests are in flight it stays open for a moment, so that a load balancer can see the 503
// of /healthz; then no new connection is taken, and the requests in flight have drainLimit to end.
const (
	announceFor = 400 * time.Millisecond
	drainLimit  = 5 * time.Second
)

// Run serves the versions of a data folder until ctx ends. See Serve.
func Run(ctx context.Context, config Config, dir release.Dir, out io.Writer) error {
	return Serve(ctx, config, Disk(dir), out)
}

// Serve binds the address, loads the live version of source and answers requests until ctx ends; then it lets the
// requests in flight end, closes everything and returns nil. Without a version it answers 503 until there is one. An
// address that cannot be bound is an error that says what to do.
func Serve(ctx context.Context, config Config, source Source, out io.Writer) error {
	address := net.JoinHostPort(config.Host, strconv.Itoa(config.Port))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return bindError(config, err)
	}
	service := New(config, source, out)
	silent := &silentConns{conns: map[net.Conn]bool{}}
	server := newServer(service, silent)
	service.voice.say("listening on http://%s (Ctrl+C stops it)", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err = <-ended: // only when the listener breaks
	case <-ctx.Done():
		err = service.drain(server, silent)
		if stopped := <-ended; !errors.Is(stopped, http.ErrServerClosed) {
			err = errors.Join(err, stopped)
		}
	}
	limit, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	return errors.Join(err, service.Close(limit))
}

func newServer(handler http.Handler, silent *silentConns) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnState:         silent.follow,
		ErrorLog:          log.New(io.Discard, "", 0), // what clients do wrong is told to them
	}
}

// drain lets the requests in flight end.
func (s *Service) drain(server *http.Server, silent *silentConns) error {
	s.Drain()
	server.SetKeepAlivesEnabled(false) // each answer from now on asks its client to connect elsewhere
	for deadline := time.Now().Add(announceFor); s.tally.inFlight.Load() > 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	limit, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	silent.close()
	if err := server.Shutdown(limit); err != nil {
		return errors.Join(fmt.Errorf("requests were still in flight after %s", drainLimit), server.Close())
	}
	return nil
}

// silentConns are the connections that have not sent a request yet. A browser opens such ahead of its need, and
// Shutdown would wait five seconds for each to say something.
type silentConns struct {
	mutex sync.Mutex
	conns map[net.Conn]bool
}

func (s *silentConns) follow(conn net.Conn, state http.ConnState) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if state == http.StateNew {
		s.conns[conn] = true
	} else {
		delete(s.conns, conn)
	}
}

func (s *silentConns) close() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for conn := range s.conns {
		_ = conn.Close()
	}
}

func bindError(config Config, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE) || isWindowsBusy(err):
		return fmt.Errorf("port %d on %s is busy; stop the program that holds it, or choose another with --port %d",
			config.Port, config.Host, config.Port%65535+1)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("not allowed to bind port %d on %s; choose one above 1023 with --port 8000",
			config.Port, config.Host)
	}
	return fmt.Errorf("cannot listen on port %d of %s: %w; set HOST to an address of this machine, such as 127.0.0.1",
		config.Port, config.Host, err)
}

// isWindowsBusy recognises WSAEADDRINUSE, which is not Windows' EADDRINUSE.
func isWindowsBusy(err error) bool {
	var code syscall.Errno
	return errors.As(err, &code) && code == 10048
}
