package world

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// golden has a line for each world: seed, day, fingerprint. They were computed on amd64; every architecture must agree.
//
//go:embed testdata/golden.txt
var golden string

func TestTheWorldIsTheSameForEveryone(t *testing.T) {
	require.NotEmpty(t, golden)
	for line := range strings.Lines(golden) {
		var seed uint64
		var day Day
		var fingerprint string
		_, err := fmt.Sscan(line, &seed, &day, &fingerprint)
		require.NoError(t, err, line)
		assert.Equal(t, fingerprint, New(Default(seed), day).Fingerprint(), "seed %d on %s", seed, day)
	}
}
