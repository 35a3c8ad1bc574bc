package load

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// startLead is how far ahead the common start is announced: longer than a process waits for a busy core.
const startLead = 100 * time.Millisecond

// gate makes the processes start together. Each connects to it when it has warmed up, and is told the instant at
// which the measured phase begins.
type gate struct {
	listener net.Listener
	waiting  []net.Conn
}

func openGate() (*gate, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the start gate: %w", err)
	}
	return &gate{listener: listener}, nil
}

func (g *gate) address() string { return g.listener.Addr().String() }

// gather returns when count processes wait at the gate, or ctx ends.
func (g *gate) gather(ctx context.Context, count int) error {
	stop := context.AfterFunc(ctx, func() { _ = g.listener.Close() })
	defer stop()
	for len(g.waiting) < count {
		connection, err := g.listener.Accept()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("wait for the load workers: %w", err)
		}
		g.waiting = append(g.waiting, connection)
	}
	return nil
}

// open announces the start and returns it.
func (g *gate) open() (time.Time, error) {
	start := time.Now().Add(startLead)
	for _, connection := range g.waiting {
		if _, err := fmt.Fprintf(connection, "%d\n", start.UnixNano()); err != nil {
			return time.Time{}, fmt.Errorf("start the load workers: %w", err)
		}
	}
	return start, nil
}

func (g *gate) close() {
	_ = g.listener.Close()
	for _, connection := range g.waiting {
		_ = connection.Close()
	}
}

// waitAtGate is a process's side. It returns at the start of the measured phase.
func waitAtGate(ctx context.Context, address string) (origin time.Time, err error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return time.Time{}, fmt.Errorf("reach the start gate: %w", err)
	}
	defer connection.Close()
	stop := context.AfterFunc(ctx, func() { _ = connection.Close() })
	defer stop()
	line, err := bufio.NewReader(connection).ReadString('\n')
	if ctx.Err() != nil {
		return time.Time{}, ctx.Err()
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("wait at the start gate: %w", err)
	}
	nanos, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("wait at the start gate: %w", err)
	}
	// The wall clock is what the processes share; from here on this process counts on its monotonic clock.
	now := time.Now()
	origin = now.Add(time.Unix(0, nanos).Sub(now))
	time.Sleep(time.Until(origin))
	return origin, nil
}
