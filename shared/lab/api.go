package lab

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"example.com/relevance-lab/shared/home"
	"example.com/relevance-lab/shared/proc"
	"example.com/relevance-lab/shared/release"
	"example.com/relevance-lab/shared/service"
)

// startLimit bounds the time from starting an API to its listening; loading a version takes some 50 ms.
const startLimit = 20 * time.Second

// API is the role in which a step's program serves the API, configured by its environment.
func API() proc.Role {
	return proc.Role{Name: "API", Run: func(ctx context.Context, _ []string) error {
		where, err := home.Find()
		if err != nil {
			return err
		}
		config, err := service.ConfigFromEnv()
		if err != nil {
			return err
		}
		return service.Run(ctx, config, release.At(where.Data()), os.Stdout)
	}}
}

// Server is an API that runs as a process of its own, so that it has its own memory, garbage collector and CPU bill.
type Server struct {
	URL     string // http://127.0.0.1:41234
	process *proc.Process
	relayed <-chan struct{} // closed when all that it said is passed on
}

// StartAPI starts the API on a free port of 127.0.0.1 and returns when it listens. settings are environment entries
// such as BLOOM=off. What the server prints goes to out. The program's main must have dispatched the API role.
// A wrong value in the environment of this process is wrong use, and nothing is started.
func StartAPI(ctx context.Context, settings []string, out io.Writer) (*Server, error) {
	if _, err := service.ConfigFromEnv(); err != nil {
		return nil, err
	}
	return Start(ctx, "API", nil, append([]string{"HOST=127.0.0.1", "PORT=0"}, settings...), out)
}

// Start starts a server that says "listening on <address>" once it does, in the role that the program gives it.
func Start(ctx context.Context, role string, args, settings []string, out io.Writer) (*Server, error) {
	read, write := io.Pipe()
	complaints := &held{out: os.Stderr}
	process, err := proc.Start(role, args, settings, write, complaints)
	if err != nil {
		return nil, err
	}
	go func() {
		<-process.Done()
		_ = write.Close()
	}()
	listening, relayed := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(relayed)
		relay(read, out, listening)
	}()

	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	select {
	case url, ok := <-listening:
		if !ok {
			err := process.Wait()
			return nil, fmt.Errorf("the %s ended before it listened: %s", role, complaints.reason(err))
		}
		complaints.release()
		return &Server{URL: url, process: process, relayed: relayed}, nil
	case <-ctx.Done():
		process.Stop()
		<-relayed
		complaints.release()
		return nil, fmt.Errorf("the %s did not listen within %s: %w", role, startLimit, ctx.Err())
	}
}

// held keeps what a server says on stderr until it listens, so that the reason why it does not becomes part of the one
// line that tells so.
type held struct {
	mutex sync.Mutex
	out   io.Writer
	kept  []byte
	free  bool
}

func (h *held) Write(text []byte) (int, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.free {
		return h.out.Write(text)
	}
	h.kept = append(h.kept, text...)
	return len(text), nil
}

// release passes on what was kept, and from now on everything.
func (h *held) release() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	_, _ = h.out.Write(h.kept)
	h.kept, h.free = nil, true
}

// reason is what was kept, or how the process ended where it said nothing.
func (h *held) reason(ended error) string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	switch said := strings.TrimSpace(string(h.kept)); {
	case said != "":
		return said
	case ended != nil:
		return ended.Error()
	}
	return "exit status 0"
}

// relay copies the server's lines to out and tells the address once it is printed. It closes listening at the end. A line
// that is longer than any the server prints ends the copying, not the reading: the server must never wait for us.
func relay(lines io.Reader, out io.Writer, listening chan<- string) {
	defer close(listening)
	scanner := bufio.NewScanner(lines)
	for told := false; scanner.Scan(); {
		line := scanner.Text()
		_, rest, found := strings.Cut(line, "listening on ")
		if found && !told {
			url, _, _ := strings.Cut(rest, " ")
			listening <- url
			told = true
			continue // nobody presses Ctrl+C in a child; the caller prints its own line
		}
		fmt.Fprintln(out, line)
	}
	_, _ = io.Copy(io.Discard, lines)
}

// PID is the operating system's number for the server's process.
func (s *Server) PID() int { return s.process.PID() }

// Stop asks the server to drain and returns when it is gone and nothing more comes from it; requests in flight have
// about a second.
func (s *Server) Stop() {
	s.process.Stop()
	<-s.relayed
}
