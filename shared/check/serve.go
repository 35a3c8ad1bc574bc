package check

import (
	"bufio"
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Serve starts the program, waits until it listens, and stops it when the test ends: as Ctrl-C does, and on Windows,
// where one process cannot do that to another, by ending it. It returns the address that the program printed.
func (p Program) Serve(t testing.TB, args ...string) (url string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	command := p.command(ctx, args...)
	command.Cancel = func() error {
		if runtime.GOOS == "windows" {
			return command.Process.Kill()
		}
		return command.Process.Signal(os.Interrupt)
	}
	command.WaitDelay = 10 * time.Second
	command.Stderr = os.Stderr
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())

	addresses := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(addresses)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if _, rest, found := strings.Cut(lines.Text(), "listening on "); found && len(addresses) == 0 {
				address, _, _ := strings.Cut(rest, " ")
				addresses <- address
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-read
		_ = command.Wait()
	})
	select {
	case url = <-addresses:
	case <-time.After(limit):
	}
	require.NotEmpty(t, url, "the program did not say where it listens")
	return url
}
