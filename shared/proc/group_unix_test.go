//go:build unix

package proc_test

import (
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/proc"
)

func TestCtrlCOnTheTerminalReachesTheParentAndNotTheChild(t *testing.T) {
	child, err := proc.Start("patient", nil, nil, io.Discard, os.Stderr)
	require.NoError(t, err)
	defer child.Stop()
	group, err := syscall.Getpgid(child.PID())
	require.NoError(t, err)
	require.NotEqual(t, syscall.Getpgrp(), group, "a terminal sends it to the group in the foreground")
}
