package sqlite

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAPathBecomesAURIThatSQLiteUnderstands(t *testing.T) {
	for path, want := range map[string]string{
		"/data/scores.db":          "file:///data/scores.db?mode=ro",
		"/data/a b/50%#?.db":       "file:///data/a%20b/50%25%23%3F.db?mode=ro",
		"C:/Users/É/scores.db":     "file:///C:/Users/%C3%89/scores.db?mode=ro",
		"//server/share/scores.db": "file:////server/share/scores.db?mode=ro",
	} {
		assert.Equal(t, want, uri(path, "mode=ro"))
	}
}
