package release_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/relevance-lab/shared/release"
)

func whole() release.Manifest {
	m := release.Manifest{
		Schema: 1, Day: "2026-10-30", Rows: 276_536, Threshold: 600, Seed: 42,
		World: strings.Repeat("ab", 32), Content: strings.Repeat("cd", 32),
		Filter: release.Filter{Bits: 2_650_614, Hashes: 7},
		Files: map[string]release.File{
			release.ScoresFile: {Bytes: 9_000_000, SHA256: strings.Repeat("01", 32)},
			release.FilterFile: {Bytes: 331_400, SHA256: strings.Repeat("23", 32)},
		},
		PublishedAt: time.Date(2026, 10, 30, 4, 0, 0, 0, time.UTC), Program: "01-batch",
	}
	m.Build = m.BuildName()
	return m
}

func text(t testing.TB, m release.Manifest) []byte {
	content, err := json.Marshal(m)
	require.NoError(t, err)
	return content
}

func TestAManifestIsReadBackAsItWasWritten(t *testing.T) {
	read, err := release.ParseManifest(text(t, whole()))
	require.NoError(t, err)
	assert.Equal(t, whole(), read)
}

func TestABuildIsNamedAfterItsDayAndContent(t *testing.T) {
	name := whole().BuildName()
	assert.Equal(t, "2026-10-30-4f8c200a", name)
	assert.Regexp(t, regexp.MustCompile(`^2026-10-30-[0-9a-f]{8}$`), name)

	same := whole()
	same.PublishedAt, same.Program, same.Filter, same.Files = time.Now(), "another", release.Filter{}, nil
	assert.Equal(t, name, same.BuildName(), "when and by whom does not count")

	for what, change := range map[string]func(*release.Manifest){
		"day":       func(m *release.Manifest) { m.Day = "2026-10-31" },
		"rows":      func(m *release.Manifest) { m.Rows++ },
		"threshold": func(m *release.Manifest) { m.Threshold++ },
		"seed":      func(m *release.Manifest) { m.Seed++ },
		"world":     func(m *release.Manifest) { m.World = strings.Repeat("ac", 32) },
		"pairs":     func(m *release.Manifest) { m.Content = strings.Repeat("ce", 32) },
	} {
		other := whole()
		change(&other)
		assert.NotEqual(t, name, other.BuildName(), what)
	}
}

func TestAManifestThatIsNotExactlyOneIsRefused(t *testing.T) {
	change := func(old, new string) []byte {
		content := string(text(t, whole()))
		require.Contains(t, content, old)
		return []byte(strings.Replace(content, old, new, 1))
	}
	for name, content := range map[string][]byte{
		"nothing":                        {},
		"null":                           []byte("null"),
		"a list":                         []byte("[]"),
		"half":                           text(t, whole())[:200],
		"something behind it":            append(text(t, whole()), '{'),
		"an unknown schema":              change(`"schema":1`, `"schema":2`),
		"no schema":                      change(`"schema":1,`, ``),
		"an unknown field":               change(`"rows"`, `"more":1,"rows"`),
		"a day that is none":             change(`"day":"2026-10-30"`, `"day":"2026-02-30"`),
		"a day that is a path":           change(`"day":"2026-10-30"`, `"day":"../../etc"`),
		"another build's name":           change(whole().Build, "2026-10-30-00000000"),
		"a build's name that is a path":  change(whole().Build, "../"+whole().Build),
		"no rows":                        change(`"rows":276536`, `"rows":0`),
		"fewer rows than named":          change(`"rows":276536`, `"rows":276535`),
		"a threshold above one":          change(`"threshold":0.6`, `"threshold":1.6`),
		"a threshold of four places":     change(`"threshold":0.6`, `"threshold":0.6001`),
		"a world that is no fingerprint": change(strings.Repeat("ab", 32), strings.Repeat("AB", 32)),
		"a content of the wrong length":  change(strings.Repeat("cd", 32), strings.Repeat("cd", 31)),
		"no filter bits":                 change(`"bits":2650614`, `"bits":0`),
		"a file's name that is a path":   change(`"scores.db"`, `"../scores.db"`),
		"a file's name with a backslash": change(`"scores.db"`, `"..\\scores.db"`),
		"an absolute file name":          change(`"scores.db"`, `"/scores.db"`),
		"a file too many":                change(`"scores.db"`, `"x":{"bytes":1,"sha256":""},"scores.db"`),
		"an empty file":                  change(`"bytes":9000000`, `"bytes":0`),
		"a negative size":                change(`"bytes":9000000`, `"bytes":-1`),
		"a checksum that is none":        change(strings.Repeat("01", 32), "zz"),
		"no time":                        change(`"2026-10-30T04:00:00Z"`, `"0001-01-01T00:00:00Z"`),
	} {
		_, err := release.ParseManifest(content)
		assert.Error(t, err, name)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(text(f, whole()))
	f.Add([]byte(`{"schema":1,"files":{"../../x":{"bytes":1}}}`))
	f.Add([]byte(`{"schema":1e0}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := release.ParseManifest(content)
		if err != nil {
			return
		}
		require.Regexp(t, `^\d{4}-\d{2}-\d{2}-[0-9a-f]{8}$`, m.Build)
		require.True(t, strings.HasPrefix(m.Build, string(m.Day)))
		require.Len(t, m.Files, 2)
		again, err := release.ParseManifest(text(t, m))
		require.NoError(t, err)
		require.Equal(t, m.Build, again.Build)
		require.Equal(t, m.Files, again.Files)
	})
}
